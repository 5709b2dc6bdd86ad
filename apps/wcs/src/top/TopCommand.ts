import * as Settings from "@wcs/deployment/Settings"
import { Clock, Console, Effect, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient, HttpClient } from "effect/http"
import { secondsOf } from "../admin/Flags.ts"
import { Json } from "../Json.ts"
import { adminUrl } from "../ListenUrl.ts"
import { Failed, Misused, show } from "../Output.ts"
import * as FailingWebhooks from "./FailingWebhooks.ts"
import { figuresOf } from "./Figures.ts"
import { isOfWcs, mostOf, parse, type Samples } from "./Samples.ts"
import { linesOf } from "./View.ts"

/** How long a process may take to answer. */
const answerMillis = 5_000

/** Reads the metrics of one process. */
const scrape = (url: string) =>
  HttpClient.get(`${url.replace(/\/+$/, "")}/metrics`).pipe(
    Effect.flatMap((response) => Effect.map(response.text, (text) => ({ status: response.status, text }))),
    Effect.timeout(answerMillis),
    Effect.mapError(() => `${url}/metrics does not answer; is it the admin port of a server?`),
    Effect.flatMap(({ status, text }) => {
      if (status !== 200)
        return Effect.fail(`${url}/metrics answers ${status}: ${text.split("\n", 1)[0]?.slice(0, 200)}`)
      return isOfWcs(text) ? Effect.succeed(text) : Effect.fail(`${url}/metrics has no metrics of wcs`)
    })
  )

/** The metrics of each process that answered, what is wrong with the others, and when they were read. */
const sampleOf = Effect.fnUntraced(function* (urls: ReadonlyArray<string>) {
  const answers = yield* Effect.forEach(urls, (url) => Effect.result(scrape(url)), { concurrency: "unbounded" })
  const texts = new Map<string, string>()
  const faults: Array<string> = []
  for (const [index, answer] of answers.entries()) {
    if (Result.isSuccess(answer)) texts.set(urls[index] ?? "", answer.success)
    else faults.push(answer.failure)
  }
  return { texts, faults, at: yield* Clock.currentTimeMillis }
})

type Sample = Effect.Success<ReturnType<typeof sampleOf>>

/** The metrics of these processes. */
const samplesOf = ({ texts }: Sample, urls: Iterable<string>): Samples =>
  parse(Array.from(urls, (url) => texts.get(url) ?? "").join("\n"))

/** Two samples of the processes that answered both times: the counters of another process would look like an increase. */
const comparable = (before: Sample | undefined, now: Sample) => {
  const both = [...now.texts.keys()].filter((url) => before?.texts.has(url))
  return before === undefined || both.length === 0
    ? { samples: samplesOf(now, now.texts.keys()), earlier: undefined, left: [] }
    : {
        samples: samplesOf(now, both),
        earlier: { samples: samplesOf(before, both), at: before.at },
        left: [...now.texts.keys()].filter((url) => !both.includes(url))
      }
}

/** Clears the screen below the cursor after moving it to the top; hides and shows the cursor. */
const terminal = { home: "\u001B[H\u001B[J", hide: "\u001B[?25l", show: "\u001B[?25h" }

const highlightIn = (text: string): string => `\u001B[31m${text}\u001B[0m`

const uptimeOf = (samples: Samples, at: number): number =>
  Math.max(1, at / 1000 - mostOf(samples, "process_start_time_seconds"))

/** Prints one screen, or one JSON object. */
const print = Effect.fnUntraced(function* (
  before: Sample | undefined,
  now: Sample,
  isScreen: boolean,
  isJson: boolean
) {
  const { at, texts } = now
  const { earlier, left, samples } = comparable(before, now)
  const again = left.map((url) => `${url}/metrics answers again; the next screen includes this process`)
  const faults = [...now.faults, ...again]
  const highlight = isScreen && process.env["NO_COLOR"] === undefined ? highlightIn : (text: string) => text
  const printed = (lines: ReadonlyArray<string>) =>
    Console.log(`${isScreen ? terminal.home : ""}${lines.join("\n")}${isScreen ? "" : "\n"}`)
  if (texts.size === 0) return yield* isJson ? show({ faults }, true) : printed(faults.map(highlight))
  const seconds = earlier === undefined ? uptimeOf(samples, at) : Math.max(0.001, (at - earlier.at) / 1000)
  const figures = figuresOf(earlier?.samples, samples, seconds)
  const failing = figures.failingWebhooks === 0 ? undefined : yield* FailingWebhooks.read
  if (isJson) return yield* show({ ...figures, failing: failing ?? null, faults }, true)
  yield* printed([...faults.map(highlight), ...linesOf(figures, failing, earlier === undefined, highlight)])
})

/** A first sample needs an answer of every process. Later, a process may be restarting. */
const watch = Effect.fnUntraced(function* (urls: ReadonlyArray<string>, seconds: number, isOnce: boolean) {
  const isJson = yield* Json
  const isScreen = process.stdout.isTTY && !isOnce && !isJson
  let before = yield* sampleOf(urls)
  const [fault] = before.faults
  if (fault !== undefined) return yield* new Failed({ code: "UNAVAILABLE", message: fault })
  yield* print(undefined, before, isScreen, isJson)
  while (!isOnce) {
    yield* Effect.sleep(seconds * 1000)
    const now = yield* sampleOf(urls)
    yield* print(before, now, isScreen, isJson)
    before = now
  }
})

/** Hides the cursor of a terminal meanwhile. */
const withoutCursor = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  process.stdout.isTTY
    ? Effect.acquireUseRelease(
        Effect.sync(() => process.stdout.write(terminal.hide)),
        () => effect,
        () => Effect.sync(() => process.stdout.write(terminal.show))
      )
    : effect

/** `wcs top`. Reads metrics only; it changes nothing. */
export const top = Command.make(
  "top",
  {
    urls: Flag.String("url").pipe(
      Flag.withDescription(
        "Admin address of a server or worker, such as http://127.0.0.1:8444; can be repeated. Default: WCS_ADMIN_HOST and WCS_ADMIN_PORT"
      ),
      Flag.atLeast(0)
    ),
    interval: Flag.String("interval").pipe(
      Flag.withDescription("Time between two screens, 1s to 1h. Default: 2s"),
      Flag.withDefault("2s")
    ),
    once: Flag.Boolean("once").pipe(
      Flag.withDescription("Print the averages since the start once, and exit"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(
    function* ({ interval, once, urls }) {
      const seconds = secondsOf(interval)
      if (!(seconds >= 1 && seconds <= 3600)) {
        return yield* new Misused({ message: "--interval must be a number with s, m or h from 1s to 1h, such as 2s" })
      }
      const { adminPort } = yield* Settings.Settings
      if (urls.length === 0 && adminPort === 0) {
        return yield* new Misused({ message: "--url must be given, because WCS_ADMIN_PORT selects a free port" })
      }
      const all = urls.length === 0 ? [yield* adminUrl(adminPort)] : urls
      const wrong = all.find((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
      if (wrong !== undefined)
        return yield* new Misused({ message: `--url must be an http or https URL, but is ${wrong}` })
      yield* withoutCursor(watch(all, seconds, once))
    },
    Effect.provide([FetchHttpClient.layer, Settings.layer]),
    Effect.catchTag("StartRefused", ({ message }) => Effect.fail(new Misused({ message })))
  )
).pipe(Command.withDescription("Show rates, latencies, waiting work and failing webhooks, live. Reads /metrics only"))
