"""Pebble in gdb: every domain has the same addresses, so a program counter says nothing without its address space.

`start.gdb`, which `--gdb` writes, loads this. Before each prompt, and in each command of Pebble's, the symbols of the program whose address space is current are loaded,
and the last one's are dropped. A program is known by its code: the first page of it, read through the page table, is compared
with those of the built programs, so that restarted and forked domains are known too. Memory of domains that do not run is read from the
file that is the machine's RAM. The layout of what the nucleus keeps comes from lib/abi, by way of `layout.json`.

Commands: `help pebble`.
"""
import json
import mmap
import os
import struct

import gdb

LAYOUT = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "layout.json")))
RAM_BASE = LAYOUT["ram_base"]
PAGE = 4096
# In the order of an exception frame, behind portal, table, pc, sp and ra.
EXCEPTION_REGISTERS = (
    ["gp", "tp"] + ["t%d" % n for n in range(7)] + ["s%d" % n for n in range(12)] + ["a%d" % n for n in range(8)]
)
U_MODE = 0


class Ram:
    """Physical memory: the file that the machine has as its RAM."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)

    def bytes(self, address, count):
        at = address - RAM_BASE
        return self.map[at : at + count] if 0 <= at and at + count <= len(self.map) else None

    def word(self, address):
        read = self.bytes(address, 8)
        return struct.unpack("<Q", read)[0] if read else 0


RAM = Ram(LAYOUT["ram"])


def physical(supervisor):
    """Physical address behind an address of the supervisor half's data."""
    return supervisor & 0xFFFFFFFF


def nucleus_word(supervisor):
    return RAM.word(physical(supervisor))


def translate(satp, address):
    """Sv39: physical address of `address` in the address space of `satp`, or None."""
    table = (satp & ((1 << 44) - 1)) << 12
    for level in (2, 1, 0):
        entry = RAM.word(table + 8 * (address >> (12 + 9 * level) & 511))
        if not entry & 1:
            return None
        table = (entry >> 10 & ((1 << 44) - 1)) << 12
        if entry & 0xE:
            below = (1 << (12 + 9 * level)) - 1
            return table & ~below | address & below
    return None


def memory(satp, address, count):
    """Bytes of an address space, or None where something is not mapped."""
    found = b""
    while count > 0:
        here = min(count, PAGE - address % PAGE)
        at = translate(satp, address)
        piece = RAM.bytes(at, here) if at is not None else None
        if piece is None:
            return None
        found, address, count = found + piece, address + here, count - here
    return found


class Program:
    """A built program."""

    def __init__(self, entry):
        self.name, self.elf, self.address = entry["name"], entry["elf"], entry["address"]
        self.code = bytes.fromhex(entry["code"])


PROGRAMS = [Program(entry) for entry in LAYOUT["programs"]]


def program_of(satp):
    """The program whose code is in the address space of `satp`, or None."""
    for program in PROGRAMS:
        if memory(satp, program.address, len(program.code)) == program.code:
            return program
    return None


class Domain:
    """A domain, by the address of its portal table."""

    def __init__(self, table):
        self.table = table
        self.satp = nucleus_word(table + LAYOUT["satp"])
        self.number = self.satp >> 44 & 0xFFFF

    def program(self):
        return program_of(self.satp)

    def name(self):
        program = self.program()
        return "%s (domain %d)" % (program.name, self.number) if program else "domain %d" % self.number


class Invocation:
    """A frame of an invocation stack: where a call came from."""

    def __init__(self, at, portal, size, kind):
        self.at, self.portal, self.size, self.kind = at, portal, size, kind
        self.domain = Domain(nucleus_word(at + 8))
        self.pc, self.sp, self.ra = (nucleus_word(at + 16 + 8 * n) for n in range(3))

    def registers(self):
        """What is known of the caller's registers."""
        known = {"pc": self.pc, "sp": self.sp, "ra": self.ra}
        if self.kind == "exception":
            for n, name in enumerate(EXCEPTION_REGISTERS):
                known[name] = nucleus_word(self.at + 40 + 8 * n)
        return known


def block_frame(portal):
    """Bytes of the frame that return portal `portal` returns through: its block's header lies before it, on a multiple of 64."""
    at = portal & ~63
    for _ in range(128):
        # Code executes a gigabyte above where it lies.
        magic, _, frame, offset = struct.unpack("<4I", RAM.bytes(physical(at) - 0x40000000, 16) or bytes(16))
        if magic == LAYOUT["block_magic"]:
            return frame if at + LAYOUT["block_header"] + offset == portal else None
        at -= 64
    return None


class Thread:
    def __init__(self, page):
        self.page = page
        self.index = nucleus_word(page + LAYOUT["thread_index"])

    def home(self):
        return Domain(nucleus_word(self.page + LAYOUT["thread_home"]))

    def domain(self):
        return Domain(nucleus_word(self.page + LAYOUT["thread_table"]))

    def invocations(self):
        """Frames from the top down, the bottom one left out."""
        at = nucleus_word(self.page + LAYOUT["thread_invocation"])
        end = self.page + PAGE - LAYOUT["first_frame"]
        symbols = LAYOUT["symbols"]
        while self.page <= at < end:
            portal = nucleus_word(at) & ~LAYOUT["mark"]
            if portal == symbols["floating_return"]:
                at += LAYOUT["floating_frame"]
                continue
            if portal == symbols["restore"]:
                size, kind = LAYOUT["exception_frame"], "exception"
            elif portal == symbols["start"]:
                size, kind = LAYOUT["start_frame"], "start"
            else:
                size, kind = block_frame(portal), "call"
            if not size:
                return
            yield Invocation(at, portal, size, kind)
            at += size


def threads():
    for index in range(1, LAYOUT["threads"]):
        read = RAM.bytes(physical(LAYOUT["thread_table_at"]) + 4 * index, 4)
        low = struct.unpack("<i", read)[0] if read else 0
        if low:
            yield Thread(low & 0xFFFFFFFFFFFFFFFF)


def register(name):
    return int(gdb.parse_and_eval("$" + name)) & 0xFFFFFFFFFFFFFFFF


def in_component():
    return register("priv") == U_MODE


def current_thread():
    return Thread(register("sscratch" if in_component() else "tp"))


class Symbols:
    """The symbols of one program at a time."""

    loaded = None

    @classmethod
    def load(cls, program):
        if program is cls.loaded:
            return
        if cls.loaded:
            gdb.execute("remove-symbol-file -a 0x%x" % cls.loaded.address, to_string=True)
        cls.loaded = program
        if program:
            gdb.execute("add-symbol-file %s" % program.elf, to_string=True)

    @classmethod
    def current(cls):
        """Those of what the hart executes; whether they are others than before."""
        before = cls.loaded
        cls.load(program_of(register("satp")) if in_component() else None)
        return cls.loaded is not before


def where(program, pc):
    """Function, file and line of `pc`, which a call returns to, in `program`."""
    Symbols.load(program)
    block = gdb.block_for_pc(pc)
    while block and not block.function:
        block = block.superblock
    line = gdb.find_pc_line(pc)
    name = block.function.print_name if block else gdb.execute("info symbol 0x%x" % pc, to_string=True).split(" in ")[0].strip()
    if name.startswith("No symbol"):
        name = "0x%x" % pc
    return "%s at %s:%d" % (name, os.path.basename(line.symtab.filename), line.line) if line.symtab else name


def set_registers(values):
    """Gives the hart these registers; without symbols, for gdb can not write all of them in what was inlined."""
    Symbols.load(None)
    gdb.execute("maintenance flush register-cache", to_string=True)
    for name, value in values.items():
        gdb.execute("set $%s = 0x%x" % (name, value))


class Pebble(gdb.Command):
    """Domains, threads and portals of a running Pebble system."""

    def __init__(self):
        super().__init__("pebble", gdb.COMMAND_USER, prefix=True)


class PebbleCommand(gdb.Command):
    """One of Pebble's commands: `run`, with the symbols of what the hart executes before and after."""

    def invoke(self, argument, from_tty):
        Symbols.current()
        try:
            self.run(argument)
        finally:
            Symbols.current()


class Threads(PebbleCommand):
    """All threads: index, where each was made, and its calls through portals, the innermost first."""

    def __init__(self):
        super().__init__("pebble threads", gdb.COMMAND_STATUS)

    def run(self, argument):
        here = current_thread().page
        for thread in threads():
            calls = [thread.domain().name()]
            for call in thread.invocations():
                program = call.domain.program()
                place = " in " + where(program, call.pc) if program else ""
                calls.append("%s%s%s" % (call.domain.name(), place, " (interrupted)" if call.kind == "exception" else ""))
            print("%s%4d of %s: %s" % ("*" if thread.page == here else " ", thread.index, thread.home().name(), " <- ".join(calls)))


class Backtrace(PebbleCommand):
    """The current thread's stack in each domain that it has called through, the innermost first."""

    def __init__(self):
        super().__init__("pebble backtrace", gdb.COMMAND_STACK)

    def run(self, argument):
        thread = current_thread()
        names = ["pc", "sp", "ra", "satp", "priv"] + EXCEPTION_REGISTERS
        saved = {name: register(name) for name in names}
        if in_component():
            print("%s:" % thread.domain().name())
            self.stack()
        try:
            for call in thread.invocations():
                print("called from %s:" % call.domain.name() if call.kind == "call" else "%s:" % call.domain.name())
                set_registers(dict(call.registers(), satp=call.domain.satp, priv=U_MODE))
                Symbols.load(call.domain.program())
                self.stack()
        finally:
            set_registers(saved)

    def stack(self):
        try:
            text = gdb.execute("backtrace 32", to_string=True)
        except gdb.error as error:
            text = "%s\n" % error
        print("".join("  " + line + "\n" for line in text.splitlines()), end="")


class InProgram(gdb.Breakpoint):
    """Stops only where the program's code is in the current address space."""

    def __init__(self, pc, program):
        super().__init__("*0x%x" % pc)
        self.program = program

    def stop(self):
        return program_of(register("satp")) is self.program


def program_named(name):
    for program in PROGRAMS:
        if program.name == name:
            return program
    raise gdb.GdbError("no program \"%s\": there are %s" % (name, ", ".join(p.name for p in PROGRAMS)))


class Break(PebbleCommand):
    """pebble break PROGRAM LOCATION: stops at LOCATION (a function, FILE:LINE, *ADDRESS) of that program, in every domain that runs it."""

    def __init__(self):
        super().__init__("pebble break", gdb.COMMAND_BREAKPOINTS)

    def run(self, argument):
        words = argument.split(None, 1)
        if len(words) != 2:
            raise gdb.GdbError("pebble break PROGRAM LOCATION")
        program = program_named(words[0])
        Symbols.load(program)
        if words[1].startswith("*"):
            places = [int(gdb.parse_and_eval(words[1][1:]))]
        else:
            # Behind the prologue where it is a function, as gdb's own break does.
            places = [line.pc for line in gdb.decode_line(words[1])[1] or ()]
        for pc in places:
            InProgram(pc, program)
            print("in %s: %s" % (program.name, where(program, pc)))


class AtEntry(gdb.Breakpoint):
    """Stops one thread, where it comes there in that address space."""

    def __init__(self, address, thread, satp=None):
        super().__init__("*0x%x" % address, internal=True)
        self.page, self.satp = thread.page, satp
        self.silent = True

    def stop(self):
        if register("sscratch") != self.page or self.satp not in (None, register("satp")):
            return False
        # Not where an interrupt or a fault has its handler called: it comes back.
        top = nucleus_word(self.page + LAYOUT["thread_invocation"])
        return self.satp is not None or nucleus_word(top) != LAYOUT["symbols"]["restore"]


class Step(PebbleCommand):
    """pebble step: goes on to where the next portal call of this thread enters its server, or, where this call returns first, to its
    caller. Interrupts and faults on the way are handled meanwhile."""

    def __init__(self):
        super().__init__("pebble step", gdb.COMMAND_RUNNING)

    def run(self, argument):
        if not in_component():
            raise gdb.GdbError("the machine is not in a component: finish the nucleus's own work first (stepi)")
        thread = current_thread()
        stops = [AtEntry(LAYOUT["entry_stub"], thread)]
        caller = next(thread.invocations(), None)
        if caller:
            stops.append(AtEntry(caller.pc, thread, caller.domain.satp))
        # Nothing is printed on the way, so no symbols are needed.
        Symbols.load(None)
        here = self.place(thread)
        gdb.execute("continue", to_string=True)
        while self.place(thread) == here:
            # A breakpoint here, behind an interrupt that came before the instruction.
            gdb.execute("continue", to_string=True)
        for stop in stops:
            stop.delete()
        if register("pc") == LAYOUT["entry_stub"]:
            gdb.execute("stepi", to_string=True)
        Symbols.current()
        program = program_of(register("satp"))
        print("in %s: %s" % (current_thread().domain().name(), where(program, register("pc")) if program else hex(register("pc"))))

    def place(self, thread):
        return register("pc"), register("satp"), nucleus_word(thread.page + LAYOUT["thread_invocation"])


class Examine(PebbleCommand):
    """pebble examine PROGRAM ADDRESS [BYTES]: memory of the domains that run the program, whoever runs now. ADDRESS may be a symbol of it."""

    def __init__(self):
        super().__init__("pebble examine", gdb.COMMAND_DATA)

    def run(self, argument):
        words = gdb.string_to_argv(argument)
        if len(words) not in (2, 3):
            raise gdb.GdbError("pebble examine PROGRAM ADDRESS [BYTES]")
        program = program_named(words[0])
        Symbols.load(program)
        text = words[1] if words[1][0].isdigit() else "&" + words[1]
        address = int(gdb.parse_and_eval("(unsigned long) (%s)" % text))
        count = int(words[2], 0) if len(words) == 3 else 16
        for domain in domains():
            if domain.program() is program:
                read = memory(domain.satp, address, count)
                print("%s, 0x%x: %s" % (domain.name(), address, read.hex(" ") if read is not None else "not mapped"))


def domains():
    """Domains that a thread was made in, is in, or will return to."""
    seen = {}
    for thread in threads():
        for domain in [thread.home(), thread.domain()] + [call.domain for call in thread.invocations()]:
            seen.setdefault(domain.table, domain)
    return sorted(seen.values(), key=lambda domain: domain.number)


class Domains(PebbleCommand):
    """Domains that have threads, or that threads are in."""

    def __init__(self):
        super().__init__("pebble domains", gdb.COMMAND_STATUS)

    def run(self, argument):
        for domain in domains():
            print("%4d %s" % (domain.number, domain.name()))


for command in (Pebble, Domains, Threads, Backtrace, Break, Step, Examine):
    command()


def before_prompt():
    """Not when the machine stops: gdb still prints where, and must not lose symbols meanwhile."""
    try:
        if Symbols.current() and Symbols.loaded:
            gdb.execute("frame")
    except gdb.error:
        pass  # the machine has ended


gdb.events.before_prompt.connect(before_prompt)
