"""staytrue inside the tools that people already use: a guard at run time, a pytest plug-in."""
