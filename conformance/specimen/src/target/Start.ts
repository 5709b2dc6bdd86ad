import { Profile } from "@wcs/conformance/profile/Profile"
import type { Secrets } from "@wcs/conformance/profile/Secrets"
import { parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import * as Handles from "@wcs/conformance/wire/Handles"
import { type FormsOf, formsOf, type SecretForms } from "@wcs/conformance/wire/SecretForms"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Effect, Redacted, Schema } from "effect"
import type { Choice } from "../choices/Rows.ts"
import { type Answer, noAnswer } from "../server/Call.ts"
import { chosenFrom, type Value } from "../server/Chosen.ts"
import type { Hit } from "../server/Place.ts"
import { answer } from "../server/Server.ts"
import { type Setting, setting } from "../server/Setting.ts"
import { type Deliver, type World, worldLike } from "../server/World.ts"
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

/** The servers with the same choices begin alike: making secrets and reading a profile takes longer than a short run. */
interface Beginning {
  readonly made: Setting
  readonly profile: Profile
  readonly secrets: Secrets
  readonly formsOf: FormsOf
  /** The points of choices that it depends on. */
  readonly points: ReadonlySet<string>
}

const begin = Effect.fnUntraced(function* (values: ReadonlyMap<string, Value>) {
  const points = new Set<string>()
  const made = setting(chosenFrom(values, (point) => void points.add(point)))
  const profile = yield* Effect.orDie(Schema.decodeUnknownEffect(Profile)(profileOf(made, timeoutSeconds)))
  const secrets = new Map([...made.secrets].map(([name, secret]) => [name, Redacted.make(secret)]))
  const forms = new Map<string, SecretForms>()
  Handles.make(profile, secrets, (secret) => {
    const found = formsOf(secret)
    forms.set(secret, found)
    return found
  })
  const known: FormsOf = (secret) => forms.get(secret) ?? formsOf(secret)
  return { made, profile, secrets, formsOf: known, points } satisfies Beginning
})

const beginnings = new Map<string, Beginning>()

const beginningOf = Effect.fnUntraced(function* (values: ReadonlyMap<string, Value>) {
  const key = JSON.stringify([...values])
  const beginning = beginnings.get(key) ?? (yield* begin(values))
  beginnings.set(key, beginning)
  return beginning
})

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
  const values = new Map(choices.map(({ point, value }) => [point, value] as const))
  const { formsOf, made, points, profile, secrets } = yield* beginningOf(values)
  for (const point of points) note?.(point)
  const world = worldLike(made.world, deliver, hit, chosenFrom(values, note))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      world.isClosed = true
    })
  )
  return {
    serve: serveBy(world),
    profile: choices.reduce((before, choice) => choice.profile?.(before) ?? before, profile),
    secrets,
    formsOf,
    receiver: hub.receiver((delivered) => delivered)
  } satisfies Target
})
