import * as Settings from "@wcs/http-node/Settings"
import { Clock, Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { secondsOf } from "../admin/Flags.ts"
import { Json } from "../Json.ts"
import { adminUrl } from "../ListenUrl.ts"
import { Failed, Misused, show } from "../Output.ts"
import * as FailingWebhooks from "./FailingWebhooks.ts"
import { figuresOf } from "./Figures.ts"
import { mostOf, parse, type Samples } from "./Samples.ts"
import { linesOf } from "./View.ts"

/** How long a process may take to answer. */
const answerMillis = 5_000

/** Reads the metrics of one process. */
const scrape = (url: string) =>
  HttpClient.get(`${url.replace(/\/+$/, "")}/metrics`).pipe(
    Effect.flatMap(HttpClientResponse.filterStatusOk),
    Effect.flatMap((response) => response.text),
    Effect.timeout(answerMillis),
    Effect.mapError(
      () =>
        new Failed({
          code: "UNAVAILABLE",
          message: `${url}/metrics does not answer; is it the admin port of a server?`
        })
    )
  )

/** Metrics of all processes, and when they were read. */
const sampleOf = Effect.fnUntraced(function* (urls: ReadonlyArray<string>) {
  const texts = yield* Effect.forEach(urls, scrape, { concurrency: "unbounded" })
  return { samples: parse(texts.join("\n")), at: yield* Clock.currentTimeMillis }
})

type Sample = Effect.Success<ReturnType<typeof sampleOf>>

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
  const { at, samples } = now
  const seconds = before === undefined ? uptimeOf(samples, at) : Math.max(0.001, (at - before.at) / 1000)
  const figures = figuresOf(before?.samples, samples, seconds)
  const failing = figures.failingWebhooks === 0 ? undefined : yield* FailingWebhooks.read
  if (isJson) return yield* show({ ...figures, failing: failing ?? null }, true)
  const highlight = isScreen && process.env["NO_COLOR"] === undefined ? highlightIn : (text: string) => text
  const lines = linesOf(figures, failing, before === undefined, highlight)
  yield* Console.log(`${isScreen ? terminal.home : ""}${lines.join("\n")}${isScreen ? "" : "\n"}`)
})

const watch = Effect.fnUntraced(function* (urls: ReadonlyArray<string>, seconds: number, isOnce: boolean) {
  const isJson = yield* Json
  const isScreen = process.stdout.isTTY && !isOnce && !isJson
  let before = yield* sampleOf(urls)
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
