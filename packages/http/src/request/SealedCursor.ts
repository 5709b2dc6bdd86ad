import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { foreignCursor } from "@wcs/domain/resource/ListQuery"
import { fromNow, PositionUnknown } from "@wcs/domain/service/Changes"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { Seal } from "@wcs/domain/shared/Seal"
import { Context, Effect, Redacted, type Schema, SchemaAST } from "effect"
import type { Call } from "../pipeline/Call.ts"
import type { Step } from "../pipeline/Endpoints.ts"

/**
 * Seals the cursors of lists and the positions of changes. A cursor holds the sort key of a row, such as a name, and the position of an entry. Callers
 * put it into URLs, which are logged (threat 46).
 */
export class CursorSeal extends Context.Service<CursorSeal, (cursor: string) => Effect.Effect<string>>()(
  "@wcs/http/CursorSeal"
) {}

/** The purpose of the seal of a tenant's cursors. */
export const purposeOf = (tenantId: string): string => `cursor of ${tenantId}`

const form = /^v\d+\.[\w-]+$/

/** A position that this service did not seal, or sealed with a lost key. A text of another form is no position. */
const foreignPosition = (text: string) =>
  Effect.fail(
    form.test(text)
      ? new PositionUnknown()
      : new InvalidArgument({ field: "after", reason: `must be ${fromNow} or meta.position from a page of changes` })
  )

/** The parameters with sealed text, and the error for a text that does not open. */
const sealedParameters: Readonly<
  Record<string, (text: string) => Effect.Effect<never, InvalidArgument | PositionUnknown>>
> = {
  cursor: () => Effect.fromResult(foreignCursor),
  after: foreignPosition
}

/** Returns the name of the sealed parameter of an endpoint. */
const sealedIn = (query: Schema.Top | undefined): string | undefined =>
  query !== undefined && SchemaAST.isObjects(query.ast)
    ? query.ast.propertySignatures.map(({ name }) => String(name)).find((name) => Object.hasOwn(sealedParameters, name))
    : undefined

/** Opens the cursor of a call, and provides the seal for the next one. A cursor is valid for its tenant only. */
const openBy =
  ({ open, seal }: Seal["Service"], name: string) =>
  (call: Call): Effect.Effect<void, InvalidArgument | PositionUnknown> => {
    const purpose = purposeOf(call.service(CurrentTenant).id)
    call.provide(CursorSeal, (cursor) => seal(purpose, Redacted.make(cursor)))
    const text = call.query[name]
    if (typeof text !== "string" || (name === "after" && text === fromNow)) return Effect.void
    return Effect.matchEffect(open(purpose, text), {
      onFailure: () => sealedParameters[name]?.(text) ?? Effect.void,
      onSuccess: (opened) =>
        Effect.sync(() => {
          call.query = { ...call.query, [name]: Redacted.value(opened) }
        })
    })
  }

/** Returns a step that takes another one and then, in lists, opens the cursor. */
export const after = (first: Step) =>
  Effect.map(
    Seal,
    (seal): Step =>
      (endpoint) => {
        const before = first(endpoint)
        const name = sealedIn(endpoint.query)
        if (name === undefined) return before
        const open = openBy(seal, name)
        return (call) =>
          Effect.andThen(
            before(call),
            Effect.suspend(() => open(call))
          )
      }
  )

/** Returns the sealed cursor of the next page; null on the last page. */
export const sealed = (call: Call, cursor: string | null): Effect.Effect<string | null> =>
  cursor === null ? Effect.succeed(null) : call.service(CursorSeal)(cursor)
