import { accountIdOf } from "@wcs/domain/access/Account"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { CreatedBy } from "@wcs/domain/token/CreatedBy"
import type { IssuedReference, Maker } from "@wcs/domain/token/Lineage"
import { Option } from "effect"
import type { AccessTables } from "./MemoryTables.ts"

interface Node extends IssuedReference {
  readonly createdBy: CreatedBy | null
  readonly revokedAt: Instant | null
}

const nodesOf = ({ clients, personalTokens }: AccessTables, tenantId: string): ReadonlyArray<Node> => [
  ...[...personalTokens.values()]
    .filter((token) => token.tenantId === tenantId)
    .map(({ createdBy, id, revokedAt }) => ({ entityType: "accessToken" as const, id, createdBy, revokedAt })),
  ...[...clients.values()]
    .filter((client) => client.tenantId === tenantId)
    .map(({ clientId, createdBy, revokedAt }) => ({
      entityType: "apiClient" as const,
      id: clientId,
      createdBy,
      revokedAt
    }))
]

/** The root of a tree and all its descendants that are not revoked. */
export const liveFrom = (
  access: AccessTables,
  tenantId: string,
  begins: (node: Node) => boolean
): ReadonlyArray<IssuedReference> => {
  const nodes = nodesOf(access, tenantId)
  const found = new Set(nodes.filter(begins))
  // A Set that grows during iteration is iterated to its new end.
  for (const { id } of found) {
    for (const node of nodes) if (node.createdBy?.bearer?.id === id) found.add(node)
  }
  return [...found].filter(({ revokedAt }) => revokedAt === null).map(({ entityType, id }) => ({ entityType, id }))
}

/** Revokes what the entries name. Earlier revocations keep their time. */
export const revokeAll = ({ clients, personalTokens }: AccessTables, entries: ReadonlyArray<AuditEntry>): void => {
  for (const { at, entityId } of entries) {
    const [client, token] = [clients.get(entityId), personalTokens.get(entityId)]
    if (client?.revokedAt === null) clients.set(entityId, { ...client, revokedAt: at })
    if (token?.revokedAt === null) personalTokens.set(entityId, { ...token, revokedAt: at })
  }
}

/** The bearer that makes something, if any. */
export const makerOf = (
  { accounts, personalTokens }: AccessTables,
  tenantId: string,
  createdBy: CreatedBy | null
): Option.Option<Maker> => {
  const bearer = createdBy?.bearer ?? null
  const account = createdBy === null ? undefined : accounts.get(accountIdOf(createdBy.account))
  if (bearer === null || account?.tenantId !== tenantId) return Option.none()
  const token = bearer.kind === "personal" ? personalTokens.get(bearer.id) : undefined
  return Option.some({ account, token: token?.tenantId === tenantId ? token : null })
}
