import * as Engine from "@wcs/delivery/Engine"
import { OutgoingFetch } from "@wcs/delivery/OutgoingFetch"
import * as Signature from "@wcs/delivery/Signature"
import * as Privilege from "@wcs/domain/access/Privilege"
import * as AnswerMinting from "@wcs/domain/answer/AnswerMinting"
import { IsTenantElsewhere } from "@wcs/domain/login/SetUp"
import * as Composing from "@wcs/domain/message/Composing"
import * as SecondFactors from "@wcs/domain/second-factor/SecondFactors"
import * as Resealing from "@wcs/domain/service/Resealing"
import * as UseCases from "@wcs/domain/service/UseCases"
import * as Id from "@wcs/domain/shared/Id"
import * as Administration from "@wcs/domain/token/Administration"
import * as Users from "@wcs/domain/user/Users"
import * as SourcedAsking from "@wcs/domain/verification/SourcedAsking"
import * as Edge from "@wcs/http/pipeline/Edge"
import * as Digest from "@wcs/keys/Digest"
import * as DocumentSeal from "@wcs/keys/DocumentSeal"
import * as Passwords from "@wcs/keys/Passwords"
import * as SigningKeyRotation from "@wcs/keys/SigningKeyRotation"
import * as Totp from "@wcs/keys/Totp"
import { ProviderFetch } from "@wcs/oidc/ProviderFetch"
import * as SourceGateways from "@wcs/register/SourceGateways"
import { firstCell } from "@wcs/store-sql/cells/Directory"
import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Adapters } from "./Adapters.ts"
import * as Configured from "./Configured.ts"
import { buildApart } from "./cells/BuildApart.ts"
import { CellServices } from "./cells/CellCommands.ts"
import * as CellDirectory from "./cells/CellDirectory.ts"
import * as CellHosts from "./cells/CellHosts.ts"
import * as CellKeys from "./cells/CellKeys.ts"
import { Dispatch } from "./cells/Dispatch.ts"
import { joining } from "./cells/Joining.ts"
import * as Keys from "./Keys.ts"
import * as Mail from "./Mail.ts"
import { cellHandler, certificate, firstRun, make, Serving } from "./Serving.ts"
import { Settings } from "./Settings.ts"
import type { Cell } from "./settings/Store.ts"
import * as DataDirectory from "./stores/DataDirectory.ts"
import * as Stores from "./stores/Stores.ts"
import * as WorkerRecord from "./stores/WorkerRecord.ts"
import * as TimeSlices from "./TimeSlices.ts"
import * as TrustedAuthorities from "./TrustedAuthorities.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"

const random = SecureRandom.layerWebCrypto
const foundations = Layer.mergeAll(Id.layer, Digest.layer, Passwords.layer, Totp.layer).pipe(Layer.provideMerge(random))

/** The services that admin commands need, of one database. */
const administrationIn = ({ rules, stores }: Pick<Adapters, "rules" | "stores">) =>
  Layer.mergeAll(
    Administration.layer,
    Users.layer,
    Layer.provide(Layer.mergeAll(SecondFactors.layer, SigningKeyRotation.layer, Resealing.layer), Keys.seal)
  ).pipe(
    Layer.provide(Configured.tenantCaps),
    Layer.provideMerge(Keys.tokens),
    Layer.provideMerge(stores),
    Layer.provideMerge(rules),
    Layer.provideMerge(foundations)
  )

const administrationOf = (adapters: Pick<Adapters, "rules" | "stores">) =>
  administrationIn(adapters).pipe(Layer.provideMerge(DataDirectory.layer.pipe(Layer.provide(random))))

/** Verifies credentials, sends events and seals the audit log. Sends messages if the settings say how. */
const engineWith = (register: Adapters["register"]) =>
  Layer.provide(
    Layer.unwrap(
      Settings.use(({ messages }) =>
        Effect.succeed(
          messages._tag === "Off"
            ? Engine.layer
            : Engine.layerWithMessages.pipe(
                Layer.provide([Layer.provide(Composing.layer, AnswerMinting.layer), Mail.layer(messages)]),
                Layer.provide(Privilege.layer)
              )
        )
      )
    ),
    [Layer.provide(Signature.layer, Keys.seal), Layer.provideMerge(SourcedAsking.layer, register), WorkerRecord.layer]
  )

/** The worker in the server, if the settings enable it. */
const workerInside = (register: Adapters["register"]) =>
  Layer.unwrap(
    Settings.use(({ isWorkerInside }) => Effect.succeed(isWorkerInside ? engineWith(register) : Layer.empty))
  )

/** The gateways of verification sources. */
const gateways = Layer.provide(SourceGateways.layer, Layer.effect(SourceGateways.GatewayFetch, OutgoingFetch))

const useCasesOf = ({ domainProof, openIdConnect, register, saml }: Adapters) =>
  Layer.mergeAll(UseCases.layer, workerInside(register)).pipe(
    Layer.provide(gateways),
    Layer.provide([saml, Layer.provide(openIdConnect, Layer.effect(ProviderFetch, OutgoingFetch)), domainProof]),
    Layer.provide([Stores.notifications, Configured.outgoingRequests]),
    Layer.provide(DocumentSeal.layer),
    Layer.provideMerge(Keys.seal),
    Layer.provideMerge(Configured.layer)
  )

/** The services of a further database. */
const cellServices = Effect.fnUntraced(function* <A, E, R>(
  cell: Cell,
  servicesOf: (stores: Adapters["stores"]) => Layer.Layer<A, E, R>,
  stores: Adapters["stores"]
) {
  const settings = yield* Settings
  const { gateOf, sql } = yield* CellDirectory.CellDirectory
  return yield* servicesOf(CellHosts.storesOf(stores, sql)).pipe(
    Layer.provideMerge(Layer.succeed(Edge.Gate, gateOf(cell.name))),
    Layer.provide(Layer.succeed(Settings, CellDirectory.settingsOf(settings, cell))),
    buildApart
  )
})

/** Answers the requests and commands for the tenants of the further databases, and works for them. */
const servedCells = (adapters: Adapters) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { cells } = yield* Settings
      const { cellOf, cellOfTenant, gateOf } = yield* CellDirectory.CellDirectory
      const answers = new Map<string, Edge.AnswerRequest>()
      const services = new Map<string, Context.Context<never>>()
      const serve = Effect.fnUntraced(function* (cell: Cell) {
        const context = yield* cellServices(
          cell,
          (stores) =>
            Layer.provide(useCasesOf(adapters), Stores.outages).pipe(
              Layer.merge(Stores.outages),
              Layer.provideMerge(administrationIn({ ...adapters, stores }))
            ),
          adapters.stores
        )
        const answer = yield* cellHandler.pipe(Effect.provide(adapters.console), Effect.provideContext(context))
        services.set(cell.name, context)
        answers.set(cell.name, answer)
      })
      for (const cell of cells) yield* joining(cell.name, serve(cell))
      yield* CellKeys.share
      return Context.make(Dispatch, (first): Edge.AnswerRequest => {
        // The gate of the first database answers 503 for the tenants of one that is not reached yet.
        return (request, context) => (answers.get(cellOf(request)) ?? first)(request, context)
      }).pipe(
        Context.add(CellServices, { hasCells: true, cellOfTenant, services }),
        Context.add(Edge.Gate, gateOf(firstCell)),
        Context.add(IsTenantElsewhere, (tenantId) => cellOfTenant(tenantId) !== firstCell)
      )
    })
  ).pipe(Layer.provide(CellDirectory.layer))

const hasCells = Settings.useSync(({ cells }) => cells.length > 0)

/** Nothing for a deployment with one database. */
const cellsOf = (adapters: Adapters) =>
  Layer.unwrap(Effect.map(hasCells, (has) => (has ? servedCells(adapters) : Layer.empty)))

/**
 * A complete server for the lifetime of the layer. To run several servers in one process, provide each with
 * `{ local: true }`, because layers are shared.
 */
export const layer = (adapters: Adapters) =>
  Layer.effect(Serving, Effect.provide(make, adapters.console)).pipe(
    Layer.provide([useCasesOf(adapters), Stores.outages]),
    Layer.provide(certificate),
    Layer.provideMerge(cellsOf(adapters)),
    Layer.provideMerge(administrationOf(adapters)),
    Layer.provide([TimeSlices.layer, Telemetry.layer]),
    Layer.provide(TrustedAuthorities.layer)
  )

/** The store of one database with its keys. */
const storesIn = (store: Adapters["stores"]) =>
  Keys.auditSignatures.pipe(
    Layer.provideMerge(Layer.mergeAll(Stores.notifications, Keys.seal, Id.layer, Digest.layer, Configured.layer)),
    Layer.provideMerge(store)
  )

/** A store with its keys, for processes that work on it without a server. */
export const stores = (store: Adapters["stores"] = Stores.layer) =>
  storesIn(store).pipe(
    Layer.provideMerge(DataDirectory.layer),
    Layer.provide(random),
    Layer.provide(TrustedAuthorities.layer)
  )

/** Works in each further database. */
const cellWorkers = (adapters: Pick<Adapters, "register" | "stores">) =>
  Layer.effectDiscard(
    Settings.use((settings) =>
      Effect.forEach(settings.cells, (cell) =>
        joining(
          cell.name,
          engineWith(adapters.register).pipe(
            Layer.provide(gateways),
            Layer.provide(Configured.outgoingRequests),
            Layer.provide(storesIn(adapters.stores)),
            Layer.provide(Layer.succeed(Settings, CellDirectory.settingsOf(settings, cell))),
            buildApart,
            Effect.asVoid
          )
        )
      )
    )
  )

/** A worker beside the servers of a database, and its store. */
export const worker = (adapters: Pick<Adapters, "register" | "stores">) =>
  Layer.merge(
    engineWith(adapters.register).pipe(Layer.provide(gateways), Layer.provide(Configured.outgoingRequests)),
    cellWorkers(adapters)
  ).pipe(
    Layer.provideMerge(stores(adapters.stores)),
    Layer.provideMerge(Telemetry.layer),
    Layer.provide([random, TrustedAuthorities.layer])
  )

/** A store alone, migrated to the current schema. */
export const migrated = (store: Adapters["stores"]) => Layer.provide(store, Layer.provide(DataDirectory.layer, random))

/** The commands for the tenants of the further databases. */
const commandedCells = (adapters: Pick<Adapters, "rules" | "stores">) =>
  Layer.effect(
    CellServices,
    Effect.gen(function* () {
      const { cells } = yield* Settings
      const { cellOfTenant } = yield* CellDirectory.CellDirectory
      const services = new Map<string, Context.Context<never>>()
      const manage = Effect.fnUntraced(function* (cell: Cell) {
        const context = yield* cellServices(
          cell,
          (stores) => administrationIn({ ...adapters, stores }),
          adapters.stores
        )
        services.set(cell.name, context)
      })
      for (const cell of cells) yield* joining(cell.name, manage(cell))
      return { hasCells: true, cellOfTenant, services }
    })
  ).pipe(Layer.provide(CellDirectory.layer))

/** The services of admin commands on a store. Creates the tenant of a new store. */
export const administration = (adapters: Pick<Adapters, "rules" | "stores">) =>
  Layer.effectDiscard(firstRun({ admin: Option.none(), clientFile: Option.none() })).pipe(
    Layer.merge(Layer.unwrap(Effect.map(hasCells, (has) => (has ? commandedCells(adapters) : Layer.empty)))),
    Layer.provideMerge(administrationOf(adapters))
  )
