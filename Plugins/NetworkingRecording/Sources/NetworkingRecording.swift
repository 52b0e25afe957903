// NetworkingRecording
