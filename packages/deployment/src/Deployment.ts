import * as Engine from "@wcs/delivery/Engine"
import { OutgoingFetch } from "@wcs/delivery/OutgoingFetch"
import * as Signature from "@wcs/delivery/Signature"
import * as Privilege from "@wcs/domain/access/Privilege"
import * as AnswerMinting from "@wcs/domain/answer/AnswerMinting"
import * as Composing from "@wcs/domain/message/Composing"
import * as SecondFactors from "@wcs/domain/second-factor/SecondFactors"
import * as Resealing from "@wcs/domain/service/Resealing"
import * as UseCases from "@wcs/domain/service/UseCases"
import * as Id from "@wcs/domain/shared/Id"
import * as Administration from "@wcs/domain/token/Administration"
import * as Users from "@wcs/domain/user/Users"
import * as SourcedAsking from "@wcs/domain/verification/SourcedAsking"
import * as Digest from "@wcs/keys/Digest"
import * as DocumentSeal from "@wcs/keys/DocumentSeal"
import * as Passwords from "@wcs/keys/Passwords"
import * as SigningKeyRotation from "@wcs/keys/SigningKeyRotation"
import * as Totp from "@wcs/keys/Totp"
import { ProviderFetch } from "@wcs/oidc/ProviderFetch"
import * as SourceGateways from "@wcs/register/SourceGateways"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Adapters } from "./Adapters.ts"
import * as Configured from "./Configured.ts"
import * as Keys from "./Keys.ts"
import * as Mail from "./Mail.ts"
import { certificate, firstRun, make, Serving } from "./Serving.ts"
import { Settings } from "./Settings.ts"
import * as DataDirectory from "./stores/DataDirectory.ts"
import * as Stores from "./stores/Stores.ts"
import * as WorkerRecord from "./stores/WorkerRecord.ts"
import * as TimeSlices from "./TimeSlices.ts"
import * as TrustedAuthorities from "./TrustedAuthorities.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"

const random = SecureRandom.layerWebCrypto
const foundations = Layer.mergeAll(Id.layer, Digest.layer, Passwords.layer, Totp.layer).pipe(Layer.provideMerge(random))

/** The services that admin commands need. */
const administrationOf = ({ rules, stores }: Pick<Adapters, "rules" | "stores">) =>
  Layer.mergeAll(
    Administration.layer,
    Users.layer,
    Layer.provide(Layer.mergeAll(SecondFactors.layer, SigningKeyRotation.layer, Resealing.layer), Keys.seal)
  ).pipe(
    Layer.provide(Configured.tenantCaps),
    Layer.provideMerge(Keys.tokens),
    Layer.provideMerge(stores),
    Layer.provideMerge(rules),
    Layer.provideMerge(foundations),
    Layer.provideMerge(DataDirectory.layer.pipe(Layer.provide(random)))
  )

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

/**
 * A complete server for the lifetime of the layer. To run several servers in one process, provide each with
 * `{ local: true }`, because layers are shared.
 */
export const layer = (adapters: Adapters) =>
  Layer.effect(Serving, Effect.provide(make, adapters.console)).pipe(
    Layer.provide([useCasesOf(adapters), Stores.outages]),
    Layer.provide(certificate),
    Layer.provideMerge(administrationOf(adapters)),
    Layer.provide([TimeSlices.layer, Telemetry.layer]),
    Layer.provide(TrustedAuthorities.layer)
  )

/** A store with its keys, for processes that work on it without a server. */
export const stores = (store: Adapters["stores"] = Stores.layer) =>
  Keys.auditSignatures.pipe(
    Layer.provideMerge(Layer.mergeAll(Stores.notifications, Keys.seal, Id.layer, Digest.layer, Configured.layer)),
    Layer.provideMerge(store),
    Layer.provideMerge(DataDirectory.layer),
    Layer.provide(random),
    Layer.provide(TrustedAuthorities.layer)
  )

/** A worker beside the servers of a database, and its store. */
export const worker = (adapters: Pick<Adapters, "register" | "stores">) =>
  engineWith(adapters.register).pipe(
    Layer.provide(gateways),
    Layer.provide(Configured.outgoingRequests),
    Layer.provideMerge(stores(adapters.stores)),
    Layer.provideMerge(Telemetry.layer),
    Layer.provide([random, TrustedAuthorities.layer])
  )

/** A store alone, migrated to the current schema. */
export const migrated = (store: Adapters["stores"]) => Layer.provide(store, Layer.provide(DataDirectory.layer, random))

/** The services of admin commands on a store. Creates the tenant of a new store. */
export const administration = (adapters: Pick<Adapters, "rules" | "stores">) =>
  Layer.effectDiscard(firstRun({ admin: Option.none(), clientFile: Option.none() })).pipe(
    Layer.provideMerge(administrationOf(adapters))
  )
