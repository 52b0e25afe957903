// StorageFlatFile
