import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { run } from "@wcs/wcs/Cli"
import { figuresOf, quantile } from "@wcs/wcs/top/Figures"
import { parse } from "@wcs/wcs/top/Samples"
import { linesOf } from "@wcs/wcs/top/View"
import { ConfigProvider, Console, Effect, Fiber, Schedule } from "effect"
import { inProcess } from "../InProcess.ts"
import { httpServer } from "../Machines.ts"

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

  it("say that a count of waiting work stops at 10,000", () => {
    const sample = parse('wcs_deliveries_waiting{due="now"} 10000\nwcs_deliveries_waiting{due="later"} 9999')
    const [row] = linesOf(figuresOf(undefined, sample, 1), undefined, true, (text) => text).filter((line) =>
      line.startsWith("waiting deliveries")
    )
    assert.match(row ?? "", /10,000 or more due, 9999 later$/)
  })

  it("highlight what needs attention", () => {
    const figures = figuresOf(sampleOf(100, 0), sampleOf(150, 5), 10)
    const lines = linesOf(figures, undefined, false, (text) => `!${text}`)
    const highlighted = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1, 16).trim())
    assert.deepStrictEqual(highlighted, ["errors", "waiting events"])
  })
})

/** A process with metrics that answers so many scrapes, except these, and then breaks each connection. */
const fakeProcess = (answers: number, status = 200, missed: ReadonlyArray<number> = []) => {
  let left = answers
  return httpServer((request, response) => {
    if (left-- <= 0 || missed.includes(answers - left - 1)) return request.destroy()
    const requests = `wcs_http_requests_total ${100 - left}`
    response.writeHead(status).end(`wcs_build_info{version="1"} 1\nwcs_process_resident_memory_bytes 1\n${requests}`)
  })
}

/** The first screens of these processes, as JSON. */
const screensOf = Effect.fnUntraced(function* (wanted: number, ...urls: ReadonlyArray<string>) {
  const screens: Array<string> = []
  const console = { ...globalThis.console, log: (...texts: Array<unknown>) => void screens.push(texts.join(" ")) }
  const args = ["top", "--json", "--interval", "1s", ...urls.flatMap((url) => ["--url", url])]
  const running = run(args).pipe(
    Effect.provide([NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromUnknown({}))]),
    Effect.provideService(Console.Console, console)
  )
  const fiber = yield* Effect.forkChild(running)
  const count = Effect.sync(() => screens.length)
  yield* Effect.repeat(count, { until: (count) => count >= wanted, schedule: Schedule.spaced("20 millis") })
  yield* Fiber.interrupt(fiber)
  return screens.map((screen) => JSON.parse(screen))
})

describe("wcs top", () => {
  it.live("goes on while a process does not answer: names it, and shows the others", () =>
    Effect.gen(function* () {
      const [steady, restarting] = [yield* fakeProcess(100), yield* fakeProcess(1)]
      const [first, second] = yield* screensOf(2, steady, restarting)
      assert.deepStrictEqual(first.faults, [])
      assert.deepStrictEqual(second.faults, [
        `${restarting}/metrics does not answer; is it the admin port of a server?`
      ])
      assert.isAbove(second.requests.all, 0)
      assert.isBelow(second.requests.all, 10)
    })
  )

  it.live("names a process that answers again, whose figures begin with the next screen", () =>
    Effect.gen(function* () {
      const [steady, restarting] = [yield* fakeProcess(100), yield* fakeProcess(100, 200, [1])]
      const [first, second, third, fourth] = yield* screensOf(4, steady, restarting)
      assert.deepStrictEqual([first.faults, fourth.faults], [[], []])
      assert.deepStrictEqual(second.faults, [
        `${restarting}/metrics does not answer; is it the admin port of a server?`
      ])
      assert.deepStrictEqual(third.faults, [
        `${restarting}/metrics answers again; the next screen includes this process`
      ])
      assert.deepStrictEqual([third.processes, fourth.processes], [1, 2])
    })
  )

  it.live("says what is wrong with the address", () =>
    Effect.gen(function* () {
      const message = (...args: ReadonlyArray<string>) =>
        Effect.map(inProcess(["top", "--once", ...args], { WCS_ADMIN_PORT: "0" }), ({ stderr }) => stderr)
      const refusing = yield* fakeProcess(9, 421)
      assert.strictEqual(
        yield* message("--url", refusing),
        `wcs: ${refusing}/metrics answers 421: wcs_build_info{version="1"} 1`
      )
      assert.strictEqual(yield* message(), "wcs: --url must be given, because WCS_ADMIN_PORT selects a free port")
    })
  )
})
