"""The session a window works on: selection, transport, actions. No widgets."""
