/// A description of one list, whose answer is an object with the given members.
func listDescription(
    of list: String = "parks", _ members: String, _ parameters: String = "", example: String = ""
) -> String {
    """
    openapi: 3.1.0
    servers: [{url: https://parks.example.org}]
    paths:
      /\(list):
        get:
          parameters: [\(parameters)]
          responses:
            200:
              content:
                application/json: {schema: {type: object, properties: {\(members)}}\(example)}
    """
}
