// The core with flat ports, for the testbench: clock, reset, interrupts, an AXI4 master with atomic operations, and the
// instructions that are committed in a cycle (at most two).
module bench_top (
  input  logic        clk_i, rst_ni,
  input  logic [63:0] boot_addr_i,
  input  logic        time_irq_i, ipi_i,
  input  logic [1:0]  irq_i,              // external interrupts: 0 machine mode, 1 supervisor mode
  output logic        aw_valid, output logic [3:0] aw_id, output logic [63:0] aw_addr,
  output logic [7:0]  aw_len, output logic [2:0] aw_size, output logic aw_lock, output logic [5:0] aw_atop,
  input  logic        aw_ready,
  output logic        w_valid, output logic [63:0] w_data, output logic [7:0] w_strb, output logic w_last,
  input  logic        w_ready,
  input  logic        b_valid, input logic [3:0] b_id, input logic [1:0] b_resp, output logic b_ready,
  output logic        ar_valid, output logic [3:0] ar_id, output logic [63:0] ar_addr,
  output logic [7:0]  ar_len, output logic [2:0] ar_size, output logic ar_lock,
  output logic [1:0]  ar_burst,
  input  logic        ar_ready,
  input  logic        r_valid, input logic [3:0] r_id, input logic [63:0] r_data, input logic [1:0] r_resp,
  input  logic        r_last, output logic r_ready,
  output logic [1:0]  commit_valid,
  output logic [1:0]  commit_privilege,   // as in mstatus.MPP
  output logic [63:0] commit_pc_0, commit_pc_1,
  output logic [31:0] commit_instruction_0, commit_instruction_1
);
  localparam ariane_pkg::ariane_cfg_t Cfg = '{
    RASDepth: 2, BTBEntries: `BTB_ENTRIES, BHTEntries: `BHT_ENTRIES,
    NrNonIdempotentRules: 1,                       // everything below RAM is devices
    NonIdempotentAddrBase: {64'h0}, NonIdempotentLength: {64'h8000_0000},
    NrExecuteRegionRules: 1,
    ExecuteRegionAddrBase: {64'h8000_0000}, ExecuteRegionLength: {64'h4000_0000},
    NrCachedRegionRules: 1,
    CachedRegionAddrBase: {64'h8000_0000}, CachedRegionLength: {64'h4000_0000},
    AxiCompliant: 1'b1, SwapEndianess: 1'b0, DmBaseAddress: 64'h0, NrPMPEntries: 8
  };
  ariane_axi::req_t  req;
  ariane_axi::resp_t rsp;
  cvxif_pkg::cvxif_req_t x_req;
  ariane_rvfi_pkg::rvfi_port_t rvfi;
  cva6 #(.ArianeCfg(Cfg)) i_cva6 (
    .clk_i, .rst_ni, .boot_addr_i, .hart_id_i('0), .irq_i, .ipi_i, .time_irq_i, .debug_req_i(1'b0), .rvfi_o(rvfi),
    .cvxif_req_o(x_req), .cvxif_resp_i('0), .axi_req_o(req), .axi_resp_i(rsp));
  assign aw_valid = req.aw_valid; assign aw_id = req.aw.id; assign aw_addr = req.aw.addr;
  assign aw_len = req.aw.len; assign aw_size = req.aw.size; assign aw_lock = req.aw.lock; assign aw_atop = req.aw.atop;
  assign w_valid = req.w_valid; assign w_data = req.w.data; assign w_strb = req.w.strb; assign w_last = req.w.last;
  assign b_ready = req.b_ready;
  assign ar_valid = req.ar_valid; assign ar_id = req.ar.id; assign ar_addr = req.ar.addr;
  assign ar_len = req.ar.len; assign ar_size = req.ar.size; assign ar_lock = req.ar.lock; assign ar_burst = req.ar.burst;
  assign r_ready = req.r_ready;
  always_comb begin
    rsp = '0;
    rsp.aw_ready = aw_ready; rsp.ar_ready = ar_ready; rsp.w_ready = w_ready;
    rsp.b_valid = b_valid; rsp.b.id = b_id; rsp.b.resp = b_resp;
    rsp.r_valid = r_valid; rsp.r.id = r_id; rsp.r.data = r_data; rsp.r.resp = r_resp; rsp.r.last = r_last;
  end
  assign commit_valid = {rvfi[1].valid, rvfi[0].valid};
  assign commit_privilege = rvfi[0].mode;
  assign commit_pc_0 = rvfi[0].pc_rdata; assign commit_instruction_0 = rvfi[0].insn;
  assign commit_pc_1 = rvfi[1].pc_rdata; assign commit_instruction_1 = rvfi[1].insn;
endmodule
