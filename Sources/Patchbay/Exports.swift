// Who imports Patchbay gets the gateway and the words that it speaks.
@_exported public import PatchbayCore
@_exported public import PatchbayDomain
@_exported public import PatchbayGateway
