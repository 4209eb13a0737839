"""What the system tells about itself; never what users said."""
