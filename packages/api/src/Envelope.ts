import { createdAt, deletedAt, typeField, updatedAt } from "@wcs/domain/resource/ShownFields"
import { Schema, SchemaAST } from "effect"

/** `requestId` of an answer. */
export const requestId = Schema.String.annotate({
  description: "Id of this request, assigned by the server. Equal to the X-Request-Id header."
})

/** `warnings` of an answer. */
export const warnings = Schema.optionalKey(Schema.Array(Schema.String)).annotate({
  description: "Warnings for people, for example about ignored fields. Absent if there are none."
})

/** The description of `meta`. */
export const aboutCall = { description: "Facts about this call, not about the data." }

/** The annotations of an envelope: its name, derived from the content, and its description. */
const named = (data: Schema.Top, kind: string, description: string) => {
  const name = SchemaAST.resolveIdentifier(data.ast)
  return name === undefined ? { description } : { identifier: `${name}${kind}`, description }
}

/** Describes `data` of an envelope. The description belongs to the key, so the schema keeps its own. */
const described = <Data extends Schema.Top>(data: Data, description: string) =>
  data.annotateKey({ description }) as Data

/** `{ data, meta }` of one resource (§2.2). */
export const One = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    data: described(data, "The resource as it is now, or the result of the action."),
    meta: Schema.Struct({ requestId, warnings }).annotate(aboutCall)
  }).annotate(named(data, "Answer", "The current state of the resource."))

const correlationId = Schema.String.annotate({ description: "Correlates later events with this call (§6)." })

/** `{ data, meta }` of a resource whose update may start a verification. */
export const OneUpdated = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    data: described(data, "The resource after the update."),
    meta: Schema.Struct({
      requestId,
      correlationId: Schema.optionalKey(
        correlationId.annotate({
          description: "Present if the update starts a verification. Its event has the same id (§6)."
        })
      ),
      warnings
    }).annotate(aboutCall)
  }).annotate(named(data, "Updated", "The current state of the resource."))

/** `{ data, meta }` of a resource whose creation starts something that a later event reports. */
export const OneCorrelated = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    data: described(data, "The new resource. Its id is also in the Location header."),
    meta: Schema.Struct({ requestId, correlationId, warnings }).annotate(aboutCall)
  }).annotate(named(data, "Created", "The created resource."))

const pageMeta = {
  requestId,
  pageSize: Schema.Int.annotate({ description: "Largest number of items on this page. A page can have fewer." }),
  nextCursor: Schema.NullOr(Schema.String).annotate({
    description: "Cursor of the next page. Null on the last page."
  }),
  warnings
}

const itemsOf = <Data extends Schema.Top>(data: Data) =>
  Schema.Array(data).annotateKey({ description: "The items in the order of the list. Empty if nothing matches." })

/** `{ data: [...], meta }` of a page of items that are not resources. */
export const Page = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    data: itemsOf(data),
    meta: Schema.Struct(pageMeta).annotate(aboutCall)
  }).annotate(named(data, "Page", "One page of matching items."))

/** `{ data: [...], meta }` of a page of resources. */
export const Many = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    data: itemsOf(data),
    meta: Schema.Struct({
      ...pageMeta,
      total: Schema.optionalKey(
        Schema.Int.annotate({ description: "Number of matching items, at most 10000. Present with includeTotal=true." })
      )
    }).annotate(aboutCall)
  }).annotate(named(data, "Page", "One page of matching items."))

/** `{ data: [...], meta }` of a page that a client continues for ever from its position. */
export const Followed = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    data: itemsOf(data),
    meta: Schema.Struct({
      requestId,
      pageSize: pageMeta.pageSize,
      position: Schema.String.annotate({
        description: "Position after this page, for `after` of the next call. Store it with the data. Never null."
      }),
      hasMore: Schema.Boolean.annotate({
        description: "true: call again at once. false: wait before the next call, because there is nothing new yet."
      })
    }).annotate(aboutCall)
  }).annotate(named(data, "Page", "One page of items, with the position after the page."))

/** `{ data: [...], meta }` of a short list without paging. */
export const Whole = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({ data: itemsOf(data), meta: Schema.Struct({ requestId }).annotate(aboutCall) }).annotate(
    named(data, "List", "The complete list.")
  )

/** `meta` of a batch: the number of items, successes and failures (§2.2; BLK-18). */
export const BatchMeta = Schema.Struct({
  total: Schema.Int.annotate({ description: "Number of items in `data`." }),
  succeeded: Schema.Int.annotate({ description: "Number of items that succeeded or needed no change." }),
  failed: Schema.Int.annotate({ description: "Number of items with an error. The call itself answers 200." }),
  requestId,
  warnings
}).annotate(aboutCall)

/** The response form of a resource: its fields plus those that every resource has. */
export const documentOf = <const Type extends string, Id extends Schema.Top, Fields extends Schema.Struct.Fields>(
  type: Type,
  id: Id,
  fields: Fields
) =>
  Schema.Struct({
    id,
    type: typeField(type),
    ...fields,
    createdAt,
    updatedAt,
    deletedAt
  })

/** The path of a new resource. */
export const Location = { location: Schema.String }

/** The id in the path. The domain checks its form, so the error message is the same everywhere. */
export const ResourceId = { id: Schema.String }

/** A reference to another resource in a body: by id or by external id, not both. */
export const linkTo = <Id extends Schema.Top>(id: Id) =>
  Schema.Struct({
    id: Schema.optionalKey(id),
    externalId: Schema.optionalKey(
      Schema.String.annotate({
        description: "The source.externalId of the resource, as an alternative to id. Must be unique."
      })
    )
  })
