import { Profile } from "@wcs/conformance/profile/Profile"
import { parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Effect, Redacted, Schema } from "effect"
import type { Choice } from "../choices/Rows.ts"
import { type Answer, noAnswer } from "../server/Call.ts"
import { chosenFrom } from "../server/Chosen.ts"
import type { Hit } from "../server/Place.ts"
import { answer } from "../server/Server.ts"
import { setting } from "../server/Setting.ts"
import type { Deliver, World } from "../server/World.ts"
import type { Hub } from "./Hub.ts"
import type { Serve } from "./Serve.ts"
import { profileOf } from "./SpecimenProfile.ts"
import type { Target } from "./Target.ts"

/** A delivery in this process that has not arrived by this time will not arrive. */
const timeoutSeconds = 3

const requestOf = ({ body, headers, method, url }: Request) => {
  const named: Record<string, string> = {}
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    named[lower] = named[lower] === undefined ? value : `${named[lower]}, ${value}`
  }
  return { method, url: new URL(url), headers: named, body }
}

const answerOf = ({ body, headers, status }: Answer) => ({ status, headers, text: body, json: parse(body) })

const nobodyListens = new NoAnswer({ silence: "refused", detail: "nobody listens" })
const disconnected = new NoAnswer({ silence: "reset", detail: "the server closed the connection" })

const serveBy = (world: World): Serve => {
  let count = 0
  return (request) => {
    if (request.url.startsWith("http:") && world.chosen("plain HTTP", "426") === "nobody listens") {
      return Effect.fail(nobodyListens)
    }
    const answered = Effect.flatMap(
      Effect.promise(async () => answer(world, requestOf(request))),
      (given) => (given.status === noAnswer ? Effect.fail(disconnected) : Effect.succeed(answerOf(given)))
    )
    if (!world.chosen("answers come late", false)) return answered
    count += 1
    return Effect.delay(answered, (count * 7) % 13)
  }
}

/**
 * Starts the server of `Server.ts` in this process for the lifetime of the scope. `hit` makes its fault, and `choices`
 * are its choices; by default there are none. `note` is told of each point of a choice that the server comes to.
 */
export const start = Effect.fnUntraced(function* (
  hub: Hub,
  hit?: Hit,
  choices: ReadonlyArray<Choice> = [],
  note?: (point: string) => void
) {
  const deliver: Deliver = (url, headers, body, method = "POST") =>
    Effect.runPromise(hub.deliver({ method, url, headers: Object.entries(headers), body }))
  const chosen = chosenFrom(new Map(choices.map(({ point, value }) => [point, value] as const)), note)
  const made = setting(deliver, hit, chosen)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      made.world.isClosed = true
    })
  )
  const own = yield* Effect.orDie(Schema.decodeUnknownEffect(Profile)(profileOf(made, timeoutSeconds)))
  const profile = choices.reduce((before, choice) => choice.profile?.(before) ?? before, own)
  const secrets = new Map([...made.secrets].map(([name, secret]) => [name, Redacted.make(secret)]))
  const receiver = hub.receiver((delivered) => delivered)
  return { serve: serveBy(made.world), profile, secrets, receiver } satisfies Target
})
