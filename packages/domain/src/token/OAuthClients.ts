import { Context, Effect, Layer, Option, Schema } from "effect"
import { accountIdOf } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import type { CollectionFull } from "../resource/Resource.ts"
import { createdAt, revokedAt, timeOrNull, typeField } from "../resource/ShownFields.ts"
import type { Timeline } from "../resource/Timeline.ts"
import { toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import { line } from "../shared/Text.ts"
import { AccessStore } from "./AccessStore.ts"
import { Administration } from "./Administration.ts"
import { CreatedByDocument } from "./CreatedBy.ts"
import { type Issued, issued, type NewlyIssued, NotAUser } from "./Issued.ts"
import type { MakerEnded } from "./Lineage.ts"
import { ClientId, clientIdFormat, isClientId, type OAuthClient } from "./OAuthClient.ts"

/** An OAuth client on the wire, without its secret. */
export const OAuthClientDocument = Schema.Struct({
  id: ClientId,
  type: typeField("apiClient"),
  name: Schema.String.annotate({ description: "Name for people, chosen on creation. It cannot change." }),
  secretLastFour: Schema.String.annotate({ description: "The last four characters of the secret." }),
  createdAt,
  createdBy: CreatedByDocument,
  expiresAt: timeOrNull(
    "When the client expires: when the token that created the client expires. Null if the client does not expire."
  ),
  revokedAt
})
export type OAuthClientDocument = typeof OAuthClientDocument.Type

export const OAuthClientWrite = Schema.Struct({
  name: line(200).annotateKey({ description: "Name for people, to recognize the client in lists. It cannot change." })
})
export type OAuthClientWrite = typeof OAuthClientWrite.Type

/**
 * The OAuth clients of a tenant (§5.2, items 4 to 6). Clients have no scopes: a user who may create one gets every
 * privilege through the client. A client cannot create clients.
 */
export class OAuthClients extends Context.Service<
  OAuthClients,
  Issued<OAuthClientDocument> & {
    /** POST: creates a client of the tenant's service account. */
    readonly create: (
      write: OAuthClientWrite
    ) => Effect.Effect<
      NewlyIssued<OAuthClientDocument>,
      InvalidArgument | NotAUser | MakerEnded | Forbidden | CollectionFull,
      Caller | RequestId
    >
  }
>()("@wcs/domain/OAuthClients") {}

const oauthClients = { type: "apiClient", filters: {}, ends: true } as const satisfies Timeline<never>

/** Returns the document of a client, without its secret. */
export const showClient = (client: OAuthClient): OAuthClientDocument => ({
  id: client.clientId,
  type: "apiClient",
  name: client.name,
  secretLastFour: client.secretLastFour,
  createdAt: toRfc3339(client.createdAt),
  createdBy: client.createdBy,
  expiresAt: client.expiresAt === null ? null : toRfc3339(client.expiresAt * 1000),
  revokedAt: toRfc3339OrNull(client.revokedAt)
})

export const make = Effect.gen(function* () {
  const store = yield* AccessStore
  const administration = yield* Administration
  const rules = yield* PrivilegeRules

  const create: OAuthClients["Service"]["create"] = Effect.fn("OAuthClients.create")(function* ({ name }) {
    const caller = yield* Caller
    const maker = yield* store.findAccount(caller.tenantId, accountIdOf(caller.account))
    if (Option.isNone(maker) || maker.value.kind !== "user") return yield* new NotAUser({ account: caller.account })
    const actor = actorOf(caller, yield* RequestId)
    const { client, secret } = yield* administration.createClientFor(caller.tenantId, name, actor)
    return { document: showClient(client), secret }
  })

  const existing = issued<OAuthClient, OAuthClientDocument>({
    timeline: oauthClients,
    entityType: "apiClient",
    isId: isClientId,
    idFormat: clientIdFormat,
    page: ({ tenantId }, selection) => store.clients(tenantId, selection),
    find: ({ tenantId }, _operation, id) =>
      Effect.map(
        store.findClient(tenantId, id),
        Option.map(({ client }) => client)
      ),
    revoke: administration.revokeClient,
    revokeTree: administration.revokeTree,
    rules,
    show: showClient
  })

  return OAuthClients.of({ ...existing, create })
})

export const layer = Layer.effect(OAuthClients, make)
