"""Pull the medium at a mount point out (ext4 or xfs, as root); mount it again to put it back."""

import fcntl
import os
import struct
import sys

SHUTDOWN = 0x8004587D  # _IOR('X', 125, __u32): EXT4_IOC_SHUTDOWN, and XFS_IOC_GOINGDOWN
NO_LOG_FLUSH = 2
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
