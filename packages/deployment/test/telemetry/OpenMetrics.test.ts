import { assert, describe, it } from "@effect/vitest"
import * as OpenMetrics from "@wcs/deployment/telemetry/OpenMetrics"
import { makeExemplars } from "@wcs/node-server/Traffic"

const text = `# HELP wcs_http_requests_total Number of "answered" requests
# TYPE wcs_http_requests_total counter
wcs_http_requests_total{method="GET",status="200"} 3
# TYPE wcs_odd counter
wcs_odd 1
# TYPE wcs_http_request_duration_seconds histogram
wcs_http_request_duration_seconds_bucket{le="0.001"} 0
wcs_http_request_duration_seconds_bucket{le="1"} 2
wcs_http_request_duration_seconds_bucket{le="+Inf"} 3
`

describe("OpenMetrics", () => {
  it("has families without suffix, boundaries as floats, exemplars, and an end", () => {
    const exemplars = makeExemplars()
    exemplars.note("a".repeat(32), 0.7)
    exemplars.note("b".repeat(32), 0.8)
    exemplars.note("c".repeat(32), 99)
    const lines = OpenMetrics.fromText(text, exemplars).split("\n")
    assert.deepStrictEqual(lines.slice(0, 5), [
      '# HELP wcs_http_requests Number of \\"answered\\" requests',
      "# TYPE wcs_http_requests counter",
      'wcs_http_requests_total{method="GET",status="200"} 3',
      "# TYPE wcs_odd unknown",
      "wcs_odd 1"
    ])
    assert.strictEqual(lines[6], 'wcs_http_request_duration_seconds_bucket{le="0.001"} 0')
    assert.match(
      lines[7] ?? "",
      /^wcs_http_request_duration_seconds_bucket\{le="1\.0"\} 2 # \{trace_id="b{32}"\} 0\.8 \d+\.\d{3}$/
    )
    assert.match(lines[8] ?? "", /^wcs_http_request_duration_seconds_bucket\{le="\+Inf"\} 3 # \{trace_id="c{32}"\} 99 /)
    assert.deepStrictEqual(lines.slice(9), ["# EOF", ""])
  })

  for (const [accept, isAccepted] of [
    ["application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true],
    ["text/plain;q=0.5, application/openmetrics-text", true],
    ["*/*", false],
    ["application/openmetrics-textual", false],
    [undefined, false]
  ] as const) {
    it(`is ${isAccepted ? "" : "not "}accepted by Accept: ${accept}`, () => {
      assert.strictEqual(OpenMetrics.isAccepted(accept), isAccepted)
    })
  }
})
