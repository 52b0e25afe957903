// PatchbayNetworking
