import { Context, Effect, Layer } from "effect"
import type { Collection } from "../resource/Collection.ts"
import type { Resource } from "../resource/Resource.ts"
import { Ids } from "../shared/Id.ts"
import type { JsonObject } from "../shared/Json.ts"
import { Notifications } from "../shared/Notifications.ts"
import type { CreateRefusal, Rules, WriteRefusal } from "./GroupRules.ts"
import * as Links from "./Links.ts"
import { makeList, makeReads } from "./ResourceReads.ts"
import { ResourceStore } from "./ResourceStore.ts"
import { makeAct, makeCreate, makeRemove, makeRestore, makeUpdate, type Services } from "./ResourceWrites.ts"

const useCases = (services: Services) => {
  const { get, read } = makeReads(services.store)
  const list = makeList(services.store)
  const create = makeCreate(services)
  const update = makeUpdate(services)
  const remove = makeRemove(services)
  const restore = makeRestore(services)

  /** Returns the standard use cases of a group. `rules` apply to each create and update. */
  const collection = <Fields extends JsonObject, Definition extends Resource<Fields>, View extends JsonObject = Fields>(
    resource: Definition & Resource<Fields>,
    rules?: Rules<Fields, View>
  ): Collection<View, CreateRefusal<Definition>, WriteRefusal<Definition>> => ({
    read: (id, query) => get(resource, id, query, rules?.show),
    list: (query) => list(resource, query, rules?.show),
    create: (body) => create(resource, body, rules),
    replace: (id, body) => update(resource, id, "replace", body, rules),
    patch: (id, body) => update(resource, id, "patch", body, rules),
    remove: (id) => remove(resource, id)
  })

  /** Returns the standard use cases of a group whose deleted resources can be restored. */
  const restorable = <Fields extends JsonObject, Definition extends Resource<Fields>>(
    resource: Definition & Resource<Fields>
  ) => ({
    ...collection<Fields, Definition>(resource),
    restore: (id: string) => restore<Fields>(resource, id)
  })

  return { collection, restorable, get, read, list, create, update, act: makeAct(services), remove, restore }
}

/**
 * The standard use cases (§4.2), by the definition of a resource. A group without rules of its own is a `collection`.
 * A group with rules passes them to each use case.
 */
export class Resources extends Context.Service<Resources, ReturnType<typeof useCases>>()("@wcs/domain/Resources") {}

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const ids = yield* Ids
  const services: Services = {
    store,
    ids,
    notifications: yield* Notifications,
    resolve: Links.makeResolve(store),
    auditId: ids.source("audit"),
    eventId: ids.source("event"),
    messageId: ids.source("message")
  }
  return Resources.of(useCases(services))
})

export const layer = Layer.effect(Resources, make)
