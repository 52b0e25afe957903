// PatchbayTestKit
