import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NewerClient from "@wcs/client/NewerClient"
import * as Settings from "@wcs/deployment/Settings"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { urlOf } from "../ConformancePlace.ts"
import { askServer } from "../Operating.ts"
import { Misused } from "../Output.ts"
import { readTextFile } from "../TextFile.ts"

/** The flags about the deployment and the caller. */
export interface Asked {
  readonly url: Option.Option<string>
  readonly caFile: Option.Option<string>
  readonly clientFile: Option.Option<string>
  readonly tokenFile: Option.Option<string>
}

const clientOf = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ clientId: Schema.String, clientSecret: Schema.Redacted(Schema.String) }))
)

const accessOf = Effect.fnUntraced(function* ({ clientFile, tokenFile }: Asked) {
  if (Option.isSome(clientFile) === Option.isSome(tokenFile)) {
    return yield* new Misused({ message: "one of --client-file and --token-file must be given" })
  }
  if (Option.isSome(tokenFile)) {
    const text = yield* readTextFile(tokenFile.value)
    return { personalToken: Redacted.make(text.trim()) }
  }
  const file = Option.getOrThrow(clientFile)
  return yield* Effect.mapError(
    Effect.flatMap(readTextFile(file), clientOf),
    (error) =>
      error._tag === "Misused"
        ? error
        : new Misused({ message: `${file} must be a JSON object with clientId and clientSecret` }) // the cause has the secret
  )
})

/** Returns the URL of the tenant, and the file of the certificate to trust: the given ones or those of the running server. */
const placeOf = Effect.fnUntraced(function* ({ caFile, url }: Asked) {
  if (Option.isSome(url)) return { baseUrl: url.value, caFile: Option.getOrUndefined(caFile) }
  const server = yield* askServer((client) => client.describeServer())
  if (Option.isNone(server)) {
    return yield* new Misused({ message: "--url must be given, because no server runs on the data directory" })
  }
  const { origin } = yield* urlOf(Option.none(), server.value)
  return { baseUrl: origin, caFile: Option.getOrElse(caFile, () => server.value.certificateFile ?? undefined) }
})

/** A large file takes long over a slow line, and a server may restart while an import is followed. */
const retry = { attempts: 20, attemptTimeout: "15 minutes" } as const

/** The client of the deployment. */
export const layer = (asked: Asked) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const access = yield* accessOf(asked)
      const { baseUrl, caFile } = yield* placeOf(asked)
      const ca = caFile === undefined ? {} : { ca: yield* readTextFile(caFile) }
      return Layer.provide(NewerClient.layer({ baseUrl, access, retry }), NodeHttpClient.layerNodeHttpOptions(ca))
    })
  ).pipe(Layer.provide(Settings.layer))
