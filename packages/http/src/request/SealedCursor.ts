import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { foreignCursor } from "@wcs/domain/resource/ListQuery"
import type { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { Seal } from "@wcs/domain/shared/Seal"
import { Context, Effect, Redacted, type Schema, SchemaAST } from "effect"
import type { Call } from "../pipeline/Call.ts"
import type { Step } from "../pipeline/Endpoints.ts"

/**
 * Seals the cursors of lists. A cursor holds the sort key of a row, such as a name, and the position of an entry. Callers
 * put it into URLs, which are logged (threat 46).
 */
export class CursorSeal extends Context.Service<CursorSeal, (cursor: string) => Effect.Effect<string>>()(
  "@wcs/http/CursorSeal"
) {}

/** The purpose of the seal of a tenant's cursors. */
export const purposeOf = (tenantId: string): string => `cursor of ${tenantId}`

const hasCursor = (query: Schema.Top | undefined): boolean =>
  query !== undefined &&
  SchemaAST.isObjects(query.ast) &&
  query.ast.propertySignatures.some(({ name }) => name === "cursor")

/** Opens the cursor of a call, and provides the seal for the next one. A cursor is valid for its tenant only. */
const openBy =
  ({ open, seal }: Seal["Service"]) =>
  (call: Call): Effect.Effect<void, InvalidArgument> => {
    const purpose = purposeOf(call.service(CurrentTenant).id)
    call.provide(CursorSeal, (cursor) => seal(purpose, Redacted.make(cursor)))
    const { cursor } = call.query
    if (typeof cursor !== "string") return Effect.void
    return Effect.matchEffect(open(purpose, cursor), {
      onFailure: () => Effect.fromResult(foreignCursor),
      onSuccess: (opened) =>
        Effect.sync(() => {
          call.query = { ...call.query, cursor: Redacted.value(opened) }
        })
    })
  }

/** Returns a step that takes another one and then, in lists, opens the cursor. */
export const after = (first: Step) =>
  Effect.map(Seal, (seal): Step => {
    const open = openBy(seal)
    return (endpoint) => {
      const before = first(endpoint)
      if (!hasCursor(endpoint.query)) return before
      return (call) =>
        Effect.andThen(
          before(call),
          Effect.suspend(() => open(call))
        )
    }
  })

/** Returns the sealed cursor of the next page; null on the last page. */
export const sealed = (call: Call, cursor: string | null): Effect.Effect<string | null> =>
  cursor === null ? Effect.succeed(null) : call.service(CursorSeal)(cursor)
