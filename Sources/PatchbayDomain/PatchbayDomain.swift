// PatchbayDomain
