import PatchbayDomain
import Testing

@testable import SourceREST

@Suite("Members beside rows that state an error")
struct ErrorSignsTests {
    @Test(
        "a failure in the words of common APIs is found wherever they put it",
        arguments: [
            (#"{"status": "OVER_QUERY_LIMIT", "results": []}"#, "\"status\" is OVER_QUERY_LIMIT"),
            (#"{"status": "Request denied", "results": []}"#, "\"status\" is Request denied"),
            (#"{"success": 0, "results": []}"#, "\"success\" is 0"),
            (#"{"ok": "false", "results": []}"#, "\"ok\" is false"),
            (#"{"meta": {"error": "late"}, "results": []}"#, "there is a value at \"meta/error\""),
            (
                #"{"status": {"error_code": 1001, "error_message": null}, "results": []}"#,
                "there is a value at \"status/error_code\""
            ),
            (#"{"error": 17, "results": []}"#, "there is a value at \"error\""),
            (#"{"code": 401, "message": "token expired", "results": null}"#, "\"code\" is 401"),
            (#"{"statusCode": "503", "results": []}"#, "\"statusCode\" is 503"),
            (#"{"errcode": 45009, "errmsg": "quota", "results": []}"#, "there is a value at \"errcode\""),
            (#"{"_shards": {"total": 5, "failed": 1}, "results": []}"#, "\"_shards/failed\" is 1"),
            (
                #"{"code": 99991400, "msg": "frequency limit", "results": null}"#,
                "\"msg\" is \"frequency limit\" and the rows are missing"
            ),
            (
                #"{"message": "Rate limit exceeded"}"#,
                "\"message\" is \"Rate limit exceeded\" and the rows are missing"
            ),
            (
                #"{"message": "No access", "results": null}"#,
                "\"message\" is \"No access\" and the rows are missing"
            ),
            (
                #"{"message": "No results found because of a timeout", "results": null}"#,
                "\"message\" is \"No results found because of a timeout\" and the rows are missing"
            ),
            (
                #"{"errmsg": "No data", "results": null}"#,
                "\"errmsg\" is \"No data\" and the rows are missing"
            ),
            (
                #"{"code": 7, "message": "No records found", "results": null}"#,
                "\"message\" is \"No records found\" and the rows are missing"
            ),
            (
                #"{"meta": {"code": 7, "count": 0}, "results": null}"#,
                "\"meta/code\" is \"7\" and the rows are missing"
            ),
        ])
    func found(_ body: String, _ sign: String) {
        let rows = JSONPath([.member("results")])
        #expect(ErrorSigns(Array(body.utf8), rows: rows, isErrorDeclared: false).sign == sign)
    }

    @Test(
        "success, and states of other things, are none",
        arguments: [
            #"{"status": "ZERO_RESULTS", "results": []}"#,
            #"{"code": 20000, "message": "ok", "results": []}"#,
            #"{"code": 416, "name": "Toronto", "results": [{"id": 1}]}"#,
            #"{"status": 200, "success": 1, "ok": "true", "results": []}"#,
            #"{"status": {"error_code": 0, "error_message": null, "credit_count": 1}, "results": []}"#,
            #"{"meta": {"error": null, "count": 0}, "error": false, "results": []}"#,
            #"{"results": null}"#, "{}", #"{"message": "", "code": null, "results": null}"#,
            #"{"code": 0, "msg": "done", "results": null}"#, #"{"code": 200, "message": "No rows"}"#,
            #"{"code": 20000, "message": "Request successful", "results": null}"#,
            #"{"errcode": 0, "errmsg": "ok", "results": null}"#,
            #"{"message": "No records found.", "results": null}"#,
            #"{"msg": "No data", "results": null}"#, #"{"message": "No rows were found"}"#,
            #"{"code": 7, "message": "the newest rows", "results": []}"#,
            #"{"_shards": {"total": 5, "failed": 0}, "results": []}"#,
            #"{"build": {"status": "failed"}, "results": [{"status": "failed", "error": "x"}]}"#,
        ])
    func none(_ body: String) {
        let rows = JSONPath([.member("results")])
        #expect(ErrorSigns(Array(body.utf8), rows: rows, isErrorDeclared: false).sign == nil)
    }

    @Test("a member that contains the answer is searched, one that contains a thing with rows is not")
    func containers() {
        func sign(_ container: String) -> String? {
            let body = #"{"\#(container)": {"status": "failed", "items": []}}"#
            let rows = JSONPath([.member(container), .member("items")])
            return ErrorSigns(Array(body.utf8), rows: rows, isErrorDeclared: false).sign
        }
        #expect(sign("response") == "\"response/status\" is failed")
        #expect(sign("build") == nil)
    }
}
