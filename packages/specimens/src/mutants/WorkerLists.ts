import { at, type Json } from "@wcs/conformance/wire/Json"
import { noRecords } from "@wcs/domain/resource/ChangeRecords"
import type { Selection } from "@wcs/domain/resource/ListQuery"
import { columnValue, type Resource } from "@wcs/domain/resource/Resource"
import { ResourceStore } from "@wcs/domain/resource/ResourceStore"
import { Effect, Result } from "effect"
import * as Answering from "../Answering.ts"
import type { Mutant } from "../Mutant.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import * as Seams from "../seams/Seams.ts"

const lookup = { method: "GET", path: /^\/workers\?externalId=/, status: 200 }
const list = { method: "GET", path: /^\/workers$/, status: 200 }
const paged = { method: "GET", path: /^\/workers\?pageSize=/ }

const column = "external_id"
const everybody = 1_000_000

/** The external id in a worker lookup; undefined for every other list. */
const askedIn = ({ type }: { readonly type: Resource["type"] }, { conditions }: Selection): string | undefined =>
  type === "worker"
    ? conditions?.flatMap((condition) =>
        condition._tag === "Equal" && condition.column === column ? [condition.value] : []
      )[0]
    : undefined

/** A store with another match for external ids. */
const finding = (isMatch: (name: string, asked: string) => boolean) =>
  Seams.store(ResourceStore, (store) => ({
    list: (resource, tenantId, selection) => {
      const asked = askedIn(resource, selection)
      if (asked === undefined) return store.list(resource, tenantId, selection)
      const all = store.list(resource, tenantId, { ...selection, conditions: [], pageSize: everybody })
      return Effect.map(all, (page) => ({
        ...page,
        items: page.items.filter(({ fields }) => isMatch(columnValue(resource, column, fields), asked))
      }))
    }
  }))

/** A store with another page size for worker lists. */
const paging = (change: (size: number) => number) =>
  Seams.store(ResourceStore, (store) => ({
    list: (resource, tenantId, selection) =>
      store.list(
        resource,
        tenantId,
        resource.type === "worker" && askedIn(resource, selection) === undefined
          ? { ...selection, pageSize: change(selection.pageSize) }
          : selection
      )
  }))

/** A store that writes on a lookup. */
const touching = Seams.store(ResourceStore, (store) => ({
  list: (resource, tenantId, selection) =>
    Effect.tap(store.list(resource, tenantId, selection), ({ items }) =>
      askedIn(resource, selection) === undefined
        ? Effect.void
        : Effect.forEach(items, (found) =>
            store.change(resource, tenantId, found.id, [], () =>
              Result.succeed({
                _tag: "Changed",
                next: { ...found, version: found.version + 1, updatedAt: found.updatedAt + 1 },
                records: noRecords
              })
            )
          )
    )
}))

/** Changes the answers to lookups without a match. */
const ofNobody = (data: Json) =>
  Rewrite.answers(lookup, (answer) =>
    at(answer.json, "data.0") === undefined
      ? Rewrite.mapJson((body) => Rewrite.put(body, "data", data))(answer)
      : answer
  )

/** Results of lookups. */
const lookupMutants: ReadonlyArray<Mutant> = [
  {
    name: "worker-lookup-finds-nobody",
    stores: finding(() => false),
    kills: [{ rule: "WRK-05", kind: "missing", at: "body.data" }]
  },
  {
    name: "worker-lookup-shows-no-list",
    rewrite: Rewrite.answers(
      lookup,
      Rewrite.mapJson((body) => Rewrite.put(body, "data", at(body, "data.0") ?? {}))
    ),
    kills: [{ rule: "WRK-05", kind: "wrong-type", at: "body.data" }]
  },
  {
    name: "worker-lookup-ignores-what-it-is-asked-for",
    stores: finding(() => true),
    kills: [
      { rule: "WRK-06", kind: "unexpected", at: "body.data.0" },
      { rule: "WRK-07", kind: "wrong-value", at: "body.data" },
      { rule: "WRK-16", kind: "unexpected", at: "body.data.0" }
    ]
  },
  {
    name: "worker-lookup-takes-the-beginning",
    stores: finding((name, asked) => name.startsWith(asked)),
    kills: [{ rule: "WRK-06", kind: "unexpected", at: "body.data.0" }]
  },
  {
    name: "worker-lookup-takes-the-end",
    stores: finding((name, asked) => name.endsWith(asked)),
    kills: [{ rule: "WRK-06", kind: "unexpected", at: "body.data.0" }]
  },
  {
    name: "worker-lookup-takes-a-piece-from-the-middle",
    stores: finding((name, asked) => name === asked || name.slice(1, -1).includes(asked)),
    kills: [{ rule: "WRK-06", kind: "unexpected", at: "body.data.0" }]
  },
  {
    name: "worker-lookup-takes-what-begins-with-a-name",
    stores: finding((name, asked) => name === asked || (name !== "" && asked.startsWith(name))),
    kills: [{ rule: "WRK-06", kind: "unexpected", at: "body.data.0" }]
  },
  {
    name: "worker-lookup-takes-a-pattern",
    stores: finding((name, asked) => (asked.endsWith("%") ? name.startsWith(asked.slice(0, -1)) : name === asked)),
    kills: [{ rule: "WRK-06", kind: "unexpected", at: "body.data.0" }]
  },
  {
    name: "worker-lookup-of-nobody-is-404",
    rewrite: Rewrite.answers(lookup, (answer) =>
      at(answer.json, "data.0") === undefined
        ? Answering.refusal(answer, 404, "NOT_FOUND", "No worker has this external id.")
        : answer
    ),
    kills: [
      { rule: "WRK-06", kind: "status", at: "status" },
      { rule: "WRK-07", kind: "status", at: "status" },
      { rule: "WRK-16", kind: "status", at: "status" }
    ]
  },
  {
    name: "worker-lookup-of-nobody-shows-null",
    rewrite: ofNobody(null),
    kills: [
      { rule: "WRK-06", kind: "wrong-type", at: "body.data" },
      { rule: "WRK-07", kind: "wrong-value", at: "body.data" },
      { rule: "WRK-16", kind: "wrong-type", at: "body.data" }
    ]
  },
  {
    name: "worker-lookup-ignores-letter-case",
    stores: finding((name, asked) => name.toLowerCase() === asked.toLowerCase()),
    kills: [{ rule: "WRK-16", kind: "unexpected", at: "body.data.0" }]
  },
  {
    name: "worker-lookup-refuses-capitals",
    rewrite: Rewrite.answers({ ...lookup, path: /^\/workers\?externalId=[^a-z]*[A-Z][^a-z]*$/ }, (answer) =>
      Answering.refusal(answer, 400, "INVALID_ARGUMENT", "externalId: must be in small letters.")
    ),
    kills: [{ rule: "WRK-16", kind: "status", at: "status" }]
  },
  {
    name: "worker-lookup-touches-the-worker",
    stores: touching,
    kills: [{ rule: "ENV-17", kind: "changed", at: "body.data.0" }]
  }
]

/** Content of lists. */
const listMutants: ReadonlyArray<Mutant> = [
  {
    name: "worker-list-stands-one-level-deeper",
    rewrite: Rewrite.answers(
      list,
      Rewrite.mapJson((body) => Rewrite.put(body, "data", { items: at(body, "data") ?? [] }))
    ),
    kills: [{ rule: "WRK-08", kind: "wrong-type", at: "body.data" }]
  },
  {
    name: "worker-list-has-no-meta",
    rewrite: Rewrite.answers(
      list,
      Rewrite.mapJson((body) => Rewrite.put(body, "meta", undefined))
    ),
    kills: [{ rule: "WRK-08", kind: "missing", at: "body.meta" }],
    alsoKills: ["ENV-01", "RID-02"]
  },
  {
    name: "worker-list-is-partial-content",
    rewrite: Rewrite.answers(list, (answer) => ({ ...answer, status: 206 })),
    kills: [{ rule: "WRK-08", kind: "status", at: "status" }]
  },
  {
    name: "worker-list-shows-no-ids",
    rewrite: Rewrite.answers(
      list,
      Rewrite.mapJson((body) => Rewrite.put(body, "data.0.id", undefined))
    ),
    kills: [{ rule: "WRK-08", kind: "missing", at: "body.data.0.id" }]
  },
  {
    name: "worker-list-without-a-page-size-is-empty",
    rewrite: Rewrite.answers(
      list,
      Rewrite.mapJson((body) => Rewrite.put(body, "data", []))
    ),
    kills: [{ rule: "WRK-08", kind: "missing", at: "body.data.0.id" }]
  }
]

/** Sizes of pages. */
const pageMutants: ReadonlyArray<Mutant> = [
  {
    name: "worker-page-size-is-ignored",
    stores: paging(() => 25),
    kills: [{ rule: "WRK-09", kind: "wrong-value", at: "body.data.length" }]
  },
  {
    name: "worker-page-has-one-too-many",
    stores: paging((size) => size + 1),
    kills: [{ rule: "WRK-09", kind: "wrong-value", at: "body.data.length" }]
  },
  {
    name: "worker-page-of-one-is-empty",
    stores: paging((size) => size - 1),
    kills: [{ rule: "WRK-09", kind: "wrong-value", at: "body.data.length" }]
  },
  {
    name: "worker-page-size-in-letters-means-the-usual-one",
    rewrite: Rewrite.requests(paged, (request) => ({ ...request, url: request.url.replace("=abc", "=25") })),
    kills: [{ rule: "WRK-10", kind: "status", at: "status" }]
  },
  {
    name: "worker-page-size-is-cut-to-a-whole-number",
    rewrite: Rewrite.requests(paged, (request) => ({
      ...request,
      url: request.url.replace(/(pageSize=\d+)\.\d+/, "$1")
    })),
    kills: [{ rule: "WRK-10", kind: "status", at: "status" }]
  },
  {
    name: "worker-page-size-in-letters-is-unprocessable",
    rewrite: Rewrite.answers({ ...paged, status: 400 }, (answer) =>
      Answering.refusal(answer, 422, "UNPROCESSABLE", "pageSize: must be an integer.")
    ),
    kills: [{ rule: "WRK-10", kind: "status", at: "status" }]
  }
]

/** The place of a worker's external id. */
const sourceMutants: ReadonlyArray<Mutant> = [
  {
    name: "worker-create-shows-no-external-id",
    rewrite: Rewrite.answers(
      { method: "POST", path: /^\/workers$/, status: 201 },
      Rewrite.mapJson((body) => Rewrite.put(body, "data.source", undefined))
    ),
    kills: [{ rule: "WRK-14", kind: "changed", at: "body.data.source.externalId" }]
  },
  {
    name: "worker-lookup-shows-no-external-id",
    rewrite: Rewrite.answers(
      lookup,
      Rewrite.mapJson((body) => Rewrite.put(body, "data.0.source", undefined))
    ),
    kills: [{ rule: "WRK-14", kind: "changed", at: "body.data.0.source.externalId" }]
  },
  {
    name: "worker-list-shows-external-ids-in-capitals",
    rewrite: Rewrite.answers(list, (answer) =>
      Rewrite.withText(
        answer,
        answer.text.replaceAll(/"externalId":"[^"]*"/g, (field) =>
          field.toUpperCase().replace("EXTERNALID", "externalId")
        )
      )
    ),
    kills: [{ rule: "WRK-14", kind: "changed", at: "body.data.source.externalId" }]
  }
]

/** Defects of finding, listing and showing workers. */
export const workerListMutants: ReadonlyArray<Mutant> = [
  ...lookupMutants,
  ...listMutants,
  ...pageMutants,
  ...sourceMutants
]
