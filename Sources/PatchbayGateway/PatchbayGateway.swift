// PatchbayGateway
