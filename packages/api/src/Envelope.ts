import { Schema, SchemaAST } from "effect"

const requestId = Schema.String.annotate({ description: "The server's id of this request: X-Request-Id." })
const warnings = Schema.Array(Schema.String).annotate({ description: "What was left out or is unusual." })

/** What the document calls an envelope, by what is in it, and what it says of it. */
const named = (data: Schema.Top, kind: string, description: string) => {
  const name = SchemaAST.resolveIdentifier(data.ast)
  return name === undefined ? { description } : { identifier: `${name}${kind}`, description }
}

/** `{ data, meta }` of one resource (§2.2). */
export const One = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({ data, meta: Schema.Struct({ requestId, warnings: Schema.optionalKey(warnings) }) }).annotate(
    named(data, "Answer", "The resource, as it is now.")
  )

const correlationId = Schema.String.annotate({ description: "Ties later events to this call (§6)." })

/** `{ data, meta }` of a resource whose update may start a verification. */
export const OneUpdated = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    data,
    meta: Schema.Struct({
      requestId,
      correlationId: Schema.optionalKey(
        correlationId.annotate({
          description: "Present if the update starts a verification. Its event has the same id (§6)."
        })
      ),
      warnings: Schema.optionalKey(warnings)
    })
  }).annotate(named(data, "Updated", "The resource, as it is now."))

/** `{ data, meta }` of a resource whose creation starts something that a later event reports. */
export const OneCorrelated = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    data,
    meta: Schema.Struct({
      requestId,
      correlationId,
      warnings: Schema.optionalKey(warnings)
    })
  }).annotate(named(data, "Created", "The resource, as it was made."))

const pageMeta = {
  requestId,
  pageSize: Schema.Int,
  nextCursor: Schema.NullOr(Schema.String).annotate({
    description: "The cursor of the next page; null at the end."
  }),
  warnings: Schema.optionalKey(warnings)
}

/** `{ data: [...], meta }` of a page of what is no resource. */
export const Page = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({ data: Schema.Array(data), meta: Schema.Struct(pageMeta) }).annotate(
    named(data, "Page", "A page of those that match.")
  )

/** `{ data: [...], meta }` of a page. */
export const Many = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    data: Schema.Array(data),
    meta: Schema.Struct({
      ...pageMeta,
      total: Schema.optionalKey(
        Schema.Int.annotate({ description: "With includeTotal=true: how many match, at most 10000." })
      )
    })
  }).annotate(named(data, "Page", "A page of those that match."))

/** `{ data: [...], meta }` of a list that is short and never paged. */
export const Whole = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({ data: Schema.Array(data), meta: Schema.Struct({ requestId }) }).annotate(
    named(data, "List", "All of them.")
  )

/** `meta` of a batch: how many items there are, and how many of them failed (§2.2; BLK-18). */
export const BatchMeta = Schema.Struct({
  total: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  requestId,
  warnings: Schema.optionalKey(warnings)
})

/** Fields as the wire shows them: with what every resource has. */
export const documentOf = <const Type extends string, Id extends Schema.Top, Fields extends Schema.Struct.Fields>(
  type: Type,
  id: Id,
  fields: Fields
) =>
  Schema.Struct({
    id,
    type: Schema.Literal(type),
    ...fields,
    createdAt: Schema.String.annotate({ format: "date-time" }),
    updatedAt: Schema.String.annotate({ format: "date-time" })
  })

/** The path of a new resource, from the root. */
export const Location = { location: Schema.String }

/** The path's id. The domain judges its form, so that a malformed one is refused in the same words everywhere. */
export const ResourceId = { id: Schema.String }

/** How a body names another resource: by its id, or by the caller's own id of it, and not by both. */
export const linkTo = <Id extends Schema.Top>(id: Id) =>
  Schema.Struct({
    id: Schema.optionalKey(id),
    externalId: Schema.optionalKey(
      Schema.String.annotate({ description: "Its source.externalId, which no other may have; in place of id." })
    )
  })
