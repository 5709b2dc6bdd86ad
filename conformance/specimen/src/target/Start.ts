import { Profile } from "@wcs/conformance/profile/Profile"
import { parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Effect, Redacted, Schema } from "effect"
import { type Answer, noAnswer } from "../server/Call.ts"
import type { Hit } from "../server/Place.ts"
import { answer } from "../server/Server.ts"
import { setting } from "../server/Setting.ts"
import type { World } from "../server/World.ts"
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

const serveBy =
  (world: World): Serve =>
  (request) =>
    Effect.flatMap(
      Effect.promise(async () => answer(world, requestOf(request))),
      (given) =>
        given.status === noAnswer
          ? Effect.fail(new NoAnswer({ silence: "reset", detail: "the server closed the connection" }))
          : Effect.succeed(answerOf(given))
    )

/** Starts the server of `Server.ts` in this process for the lifetime of the scope. `hit` makes its fault. */
export const start = Effect.fnUntraced(function* (hub: Hub, hit?: Hit) {
  const deliver = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
    Effect.runPromise(hub.deliver({ method: "POST", url, headers: Object.entries(headers), body }))
  const made = setting(deliver, hit)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      made.world.isClosed = true
    })
  )
  const profile = yield* Effect.orDie(Schema.decodeUnknownEffect(Profile)(profileOf(made, timeoutSeconds)))
  const secrets = new Map([...made.secrets].map(([name, secret]) => [name, Redacted.make(secret)]))
  const receiver = hub.receiver((delivered) => delivered)
  return { serve: serveBy(made.world), profile, secrets, receiver } satisfies Target
})
