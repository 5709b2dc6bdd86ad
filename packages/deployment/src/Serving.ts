import { DescribedServer } from "@wcs/admin/ServerDescription"
import { AccessTokens } from "@wcs/domain/access/AccessToken"
import * as SetUp from "@wcs/domain/login/SetUp"
import * as ConsoleRoutes from "@wcs/http/ConsoleRoutes"
import * as Edge from "@wcs/http/pipeline/Edge"
import * as Routes from "@wcs/http/Routes"
import * as Certificate from "@wcs/node-server/Certificate"
import * as Listening from "@wcs/node-server/Listening"
import type { Ports } from "@wcs/node-server/Ports"
import { makeExemplars } from "@wcs/node-server/Traffic"
import { Context, Deferred, Effect, Layer, Option, type Redacted, Ref } from "effect"
import * as AdminPort from "./admin/AdminPort.ts"
import * as AdminSocket from "./admin/AdminSocket.ts"
import { describedBy } from "./admin/Description.ts"
import { Dispatch } from "./cells/Dispatch.ts"
import * as FirstRun from "./FirstRun.ts"
import { Settings } from "./Settings.ts"
import * as SetUpRoute from "./SetUpRoute.ts"
import type { Bootstrap } from "./settings/FirstRun.ts"
import { DataDirectory } from "./stores/DataDirectory.ts"
import { OneAtATime } from "./stores/OneAtATime.ts"

/** A running server. */
export class Serving extends Context.Service<
  Serving,
  {
    readonly port: number
    readonly plainPort: Option.Option<number>
    readonly adminPort: number
    /** The certificate for clients that do not trust the issuer. None behind a proxy. */
    readonly certificateFile: Option.Option<string>
    /** The token of the set-up URL. None if there already is a token, a client or a password. */
    readonly setUpToken: Option.Option<Redacted.Redacted>
  }
>()("@wcs/deployment/Serving") {}

/**
 * Opens the signing keys, then does the first run. With a wrong master key, nothing is written (threat 34).
 */
export const firstRun = Effect.fnUntraced(function* (bootstrap: Bootstrap) {
  yield* AccessTokens
  const oneAtATime = yield* OneAtATime
  const tenant = yield* oneAtATime(FirstRun.run(bootstrap))
  yield* DataDirectory.use(({ complete }) => complete)
  return tenant
})

/** Answers all requests: the routes of the service, the set-up page and the console. */
const handlerOf = (setUp: SetUp.SetUp["Service"]) =>
  Effect.all([Routes.make, SetUpRoute.make(setUp), ConsoleRoutes.make]).pipe(
    Effect.flatMap(([routes, setUpRoute, console]) => Edge.make([...routes, setUpRoute, ...console])),
    Effect.provideServiceEffect(
      Edge.StrictTransport,
      Settings.use(({ tls }) => Effect.succeed(tls._tag !== "SelfSigned"))
    )
  )

/** Answers the requests for tenants of a further database. */
export const cellHandler = Effect.all([Routes.make, ConsoleRoutes.make]).pipe(
  Effect.flatMap(([routes, console]) => Edge.make([...routes, ...console])),
  Effect.provideServiceEffect(
    Edge.StrictTransport,
    Settings.use(({ tls }) => Effect.succeed(tls._tag !== "SelfSigned"))
  )
)

/** The certificate of the settings. A self-signed one is in the data directory. */
export const certificate = Layer.effect(
  Certificate.Certificate,
  Effect.gen(function* () {
    const { tenantHosts, tls } = yield* Settings
    const { path } = yield* DataDirectory
    return yield* Certificate.make(tls, path, tenantHosts)
  })
)

/** Starts the server in order: first run, complete handler, ports. */
export const make = Effect.gen(function* () {
  const settings = yield* Settings
  const tenant = yield* firstRun(settings.bootstrap)
  const setUp = yield* SetUp.make(tenant)
  const handler = (yield* Dispatch)(yield* handlerOf(setUp))
  const isStopping = yield* Ref.make(false)
  const ports = yield* Deferred.make<Ports>()
  yield* AdminSocket.listen.pipe(Effect.provideServiceEffect(DescribedServer, describedBy(Deferred.await(ports))))
  const exemplars = makeExemplars()
  const adminPort = yield* AdminPort.listen({
    role: "server",
    isStopping,
    exemplars,
    ports: Effect.map(Deferred.await(ports), ({ plainPort, port }) => [port, ...Option.toArray(plainPort)])
  })
  const listening = yield* Listening.listen(settings, handler, exemplars)
  yield* Deferred.succeed(ports, listening)
  // This finalizer runs first, so a balancer stops sending requests while those in flight finish.
  yield* Effect.addFinalizer(() => Ref.set(isStopping, true))
  const certificateFile = Option.map(yield* Certificate.Certificate, ({ file }) => file)
  return Serving.of({ ...listening, adminPort, certificateFile, setUpToken: setUp.token })
})
