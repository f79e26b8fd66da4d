// The lab.
