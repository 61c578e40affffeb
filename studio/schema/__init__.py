"""What the data is: frozen dataclasses and their codecs. Not how anything is computed or stored."""
