import { at, type Json } from "@wcs/conformance/text/Json"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { Selection } from "@wcs/domain/resource/ListQuery"
import { columnValue, type Resource } from "@wcs/domain/resource/Resource"
import { Effect, Result } from "effect"
import * as Answering from "../Answering.ts"
import { type Mutant, mutant } from "../Mutant.ts"
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
    at(answer.json, "data.0") === undefined ? Rewrite.field("data", data)(answer) : answer
  )

/** Defects of finding, listing and showing workers. */
export const workerListMutants: ReadonlyArray<Mutant> = [
  // Results of lookups.
  mutant("worker-lookup-finds-nobody", "WRK-05 missing at body.data").stores(finding(() => false)),
  mutant("worker-lookup-shows-no-list", "WRK-05 wrong-type at body.data").answers(
    lookup,
    Rewrite.mapJson((body) => Rewrite.put(body, "data", at(body, "data.0") ?? {}))
  ),
  mutant("worker-lookup-ignores-what-it-is-asked-for", [
    "WRK-06 unexpected at body.data.0",
    "WRK-07 wrong-value at body.data",
    "WRK-16 unexpected at body.data.0"
  ]).stores(finding(() => true)),
  mutant("worker-lookup-takes-the-beginning", "WRK-06 unexpected at body.data.0").stores(
    finding((name, asked) => name.startsWith(asked))
  ),
  mutant("worker-lookup-takes-the-end", "WRK-06 unexpected at body.data.0").stores(
    finding((name, asked) => name.endsWith(asked))
  ),
  mutant("worker-lookup-takes-a-piece-from-the-middle", "WRK-06 unexpected at body.data.0").stores(
    finding((name, asked) => name === asked || name.slice(1, -1).includes(asked))
  ),
  mutant("worker-lookup-takes-what-begins-with-a-name", "WRK-06 unexpected at body.data.0").stores(
    // Skips unique names of a run that begin with a shorter name of the run: which of them exist depends on the order
    // of walks.
    finding((name, asked) => name === asked || (name !== "" && asked.startsWith(name) && !/\d$/.test(asked)))
  ),
  mutant("worker-lookup-takes-a-pattern", "WRK-06 unexpected at body.data.0").stores(
    finding((name, asked) => (asked.endsWith("%") ? name.startsWith(asked.slice(0, -1)) : name === asked))
  ),
  mutant("worker-lookup-of-nobody-is-404", ["WRK-06 status", "WRK-07 status", "WRK-16 status"]).answers(
    lookup,
    (answer) =>
      at(answer.json, "data.0") === undefined
        ? Answering.refusal(answer, 404, "NOT_FOUND", "No worker has this external id.")
        : answer
  ),
  mutant("worker-lookup-of-nobody-shows-null", [
    "WRK-06 wrong-type at body.data",
    "WRK-07 wrong-value at body.data",
    "WRK-16 wrong-type at body.data"
  ]).rewrite(ofNobody(null)),
  mutant("worker-lookup-ignores-letter-case", "WRK-16 unexpected at body.data.0").stores(
    finding((name, asked) => name.toLowerCase() === asked.toLowerCase())
  ),
  mutant("worker-lookup-refuses-capitals", "WRK-16 status").answers(
    { ...lookup, path: /^\/workers\?externalId=[^a-z]*[A-Z][^a-z]*$/ },
    (answer) => Answering.refusal(answer, 400, "INVALID_ARGUMENT", "externalId: must be in small letters.")
  ),
  mutant("worker-lookup-touches-the-worker", "ENV-17 changed at body.data.0").stores(touching),
  // Content of lists.
  mutant("worker-list-stands-one-level-deeper", "WRK-08 wrong-type at body.data").answers(
    list,
    Rewrite.mapJson((body) => Rewrite.put(body, "data", { items: at(body, "data") ?? [] }))
  ),
  mutant("worker-list-has-no-meta", "WRK-08 missing at body.meta", { alsoKills: ["ENV-01", "RID-02"] }).answers(
    list,
    Rewrite.field("meta", undefined)
  ),
  mutant("worker-list-is-partial-content", "WRK-08 status").answers(list, (answer) => ({ ...answer, status: 206 })),
  mutant("worker-list-shows-no-ids", "WRK-08 missing at body.data.0.id").answers(
    list,
    Rewrite.field("data.0.id", undefined)
  ),
  mutant("worker-list-without-a-page-size-is-empty", "WRK-08 missing at body.data.0.id").answers(
    list,
    Rewrite.field("data", [])
  ),
  // Sizes of pages.
  mutant("worker-page-size-is-ignored", "WRK-09 wrong-value at body.data.length").stores(paging(() => 25)),
  mutant("worker-page-has-one-too-many", "WRK-09 wrong-value at body.data.length").stores(paging((size) => size + 1)),
  mutant("worker-page-of-one-is-empty", "WRK-09 wrong-value at body.data.length").stores(paging((size) => size - 1)),
  mutant("worker-page-size-in-letters-means-the-usual-one", "WRK-10 status").requests(paged, (request) => ({
    ...request,
    url: request.url.replace("=abc", "=25")
  })),
  mutant("worker-page-size-is-cut-to-a-whole-number", "WRK-10 status").requests(paged, (request) => ({
    ...request,
    url: request.url.replace(/(pageSize=\d+)\.\d+/, "$1")
  })),
  mutant("worker-page-size-in-letters-is-unprocessable", "WRK-10 status").answers({ ...paged, status: 400 }, (answer) =>
    Answering.refusal(answer, 422, "UNPROCESSABLE", "pageSize: must be an integer.")
  ),
  // The place of a worker's external id.
  mutant("worker-create-shows-no-external-id", "WRK-14 changed at body.data.source.externalId").answers(
    { method: "POST", path: /^\/workers$/, status: 201 },
    Rewrite.field("data.source", undefined)
  ),
  mutant("worker-lookup-shows-no-external-id", "WRK-14 changed at body.data.0.source.externalId").answers(
    lookup,
    Rewrite.field("data.0.source", undefined)
  ),
  mutant("worker-list-shows-external-ids-in-capitals", "WRK-14 changed at body.data.source.externalId").answers(
    list,
    (answer) =>
      Rewrite.withText(
        answer,
        answer.text.replaceAll(/"externalId":"[^"]*"/g, (field) =>
          field.toUpperCase().replace("EXTERNALID", "externalId")
        )
      )
  )
]
