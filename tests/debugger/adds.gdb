# < in adds: adds at adds.c:8
pebble break adds adds
# < Breakpoint 1
continue
# < adds (domain 13):
# <   #0  adds (a=2, b=3)
# < called from adds (domain 14):
# <   #0  main ()
pebble backtrace
# < of init (domain 7): scheduler (domain 2) <- portals (domain 5)
# & of console (domain 9): scheduler (domain 2) <- console (domain 9) in
# & of adds (domain 14): adds (domain 13) <- adds (domain 14) in main
pebble threads
# <   13 adds (domain 13)
# <   14 adds (domain 14)
pebble domains
# < adds (domain 13), 0x
# < 34 12 00 00 00 00 00 00
# < adds (domain 14), 0x
pebble examine adds sum 8
# < in adds (domain 14): main at
pebble step
# < in portals (domain 5):
pebble step
# < no program "nobody": there are adds
pebble break nobody main
