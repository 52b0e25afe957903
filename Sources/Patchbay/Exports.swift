// Importing Patchbay also imports the gateway and the modules whose types it uses.
@_exported public import PatchbayCore
@_exported public import PatchbayDomain
@_exported public import PatchbayGateway
