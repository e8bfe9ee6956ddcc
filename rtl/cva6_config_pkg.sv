// How the core is configured: as CVA6's own cv64a6_imafdc_sv39, but without a floating-point unit (the Python package
// lacks the divider that it needs, pulp-platform/fpu_div_sqrt_mvp) and without the coprocessor of the CV-X-IF example.
package cva6_config_pkg;
    localparam CVA6ConfigXlen = 64;
    localparam CVA6ConfigFpuEn = 0;
    localparam CVA6ConfigF16En = 0;
    localparam CVA6ConfigF16AltEn = 0;
    localparam CVA6ConfigF8En = 0;
    localparam CVA6ConfigFVecEn = 0;
    localparam CVA6ConfigCvxifEn = 0;
    localparam CVA6ConfigCExtEn = 1;
    localparam CVA6ConfigAExtEn = 1;
    localparam CVA6ConfigFetchUserEn = 0;
    localparam CVA6ConfigFetchUserWidth = CVA6ConfigXlen;
    localparam CVA6ConfigDataUserEn = 0;
    localparam CVA6ConfigDataUserWidth = CVA6ConfigXlen;
    localparam CVA6ConfigRenameEn = 0;
endpackage
