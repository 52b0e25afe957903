import PatchbayTestKit

/// A recording of Slack with two users and a conversation.
enum SlackSample {
    /// - Parameter users: the answer to the list of users; nil for the two users.
    static func text(users: String? = nil) -> String {
        let list = users ?? #"{"ok":true,"members":[\#(Self.ada),\#(Self.bo)]}"#
        return TestHAR.file(
            Self.exchange("users.list", "limit=100", list),
            Self.exchange("users.info", "user=U1", #"{"ok":true,"user":\#(Self.ada)}"#),
            Self.exchange(
                "conversations.list", "types=public_channel&exclude_archived=true",
                #"{"ok":true,"channels":[{"id":"C1","name":"general","num_members":2}]}"#),
            Self.exchange("conversations.members", "channel=C1", #"{"ok":true,"members":["U1","U2"]}"#))
    }

    static let ada =
        #"{"id":"U1","name":"ada","deleted":false,"updated":1600000000,"#
        + #""profile":{"real_name":"Ada L.","display_name":"adal"}}"#
    private static let bo =
        #"{"id":"U2","name":"bo","deleted":true,"updated":1600000001,"#
        + #""profile":{"real_name":"Bo","display_name":""}}"#

    /// A recorded POST of a form.
    private static func exchange(_ method: String, _ form: String, _ answer: String) -> String {
        TestHAR.entry(
            "https://slack.com/api/\(method)", method: "POST", body: answer,
            postData: TestHAR.posted(form, "application/x-www-form-urlencoded"))
    }
}
