import { assert, describe, it } from "@effect/vitest"
import { figuresOf, quantile } from "@wcs/wcs/top/Figures"
import { parse } from "@wcs/wcs/top/Samples"
import { linesOf } from "@wcs/wcs/top/View"

const sampleOf = (requests: number, failures: number) =>
  parse(
    [1, 2]
      .map(
        (process) => `# TYPE wcs_http_requests_total counter
wcs_build_info{version="1.2.3",node="24"} 1
wcs_process_resident_memory_bytes ${process * 1024 * 1024}
wcs_http_requests_total{method="GET",status="200"} ${requests}
wcs_http_requests_total{method="POST",status="500"} ${failures}
wcs_http_request_duration_seconds_bucket{le="0.1"} ${requests}
wcs_http_request_duration_seconds_bucket{le="+Inf"} ${requests + failures}
wcs_events_waiting{state="dead"} 3`
      )
      .join("\n")
  )

describe("the figures of wcs top", () => {
  it("are rates between two samples, summed over processes; the backlog of a store counts once", () => {
    const figures = figuresOf(sampleOf(100, 0), sampleOf(150, 5), 10)
    assert.strictEqual(figures.processes, 2)
    assert.strictEqual(figures.requests.all, 11)
    assert.strictEqual(figures.requests.serverErrors, 1)
    assert.strictEqual(figures.process.memoryBytes, 3 * 1024 * 1024)
    assert.strictEqual(figures.waiting.deadLetters, 3)
    assert.strictEqual(figures.version, "1.2.3")
  })

  it("never fall below 0 when a process restarts", () => {
    assert.strictEqual(figuresOf(sampleOf(100, 0), sampleOf(1, 0), 10).requests.all, 0)
  })

  it("interpolate quantiles within a bucket, and use the last finite boundary above it", () => {
    const buckets = new Map([
      [1, 10],
      [2, 20],
      [Number.POSITIVE_INFINITY, 22]
    ])
    assert.strictEqual(quantile(buckets, 0.25), 0.55)
    assert.strictEqual(quantile(buckets, 1), 2)
    assert.isNull(quantile(new Map([[1, 0]]), 0.5))
  })

  it("highlight what needs attention", () => {
    const figures = figuresOf(sampleOf(100, 0), sampleOf(150, 5), 10)
    const lines = linesOf(figures, undefined, false, (text) => `!${text}`)
    const highlighted = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1, 16).trim())
    assert.deepStrictEqual(highlighted, ["errors", "waiting events"])
  })
})
