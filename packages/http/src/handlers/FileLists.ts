import type { ListTable } from "@wcs/api/ListTable"
import type { Caller } from "@wcs/domain/access/Caller"
import type { ShownPage } from "@wcs/domain/resource/Collection"
import type { Query } from "@wcs/domain/resource/ListQuery"
import * as WholeList from "@wcs/domain/resource/WholeList"
import type { Refusal } from "@wcs/domain/service/Refusals"
import type { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import type { Call } from "../pipeline/Call.ts"
import * as ListFiles from "../pipeline/ListFiles.ts"
import { pageOf } from "./CollectionHandlers.ts"

/**
 * The handlers of lists that answer a page as JSON, or all that matches as a file. `whole` reads all pages; by
 * default it walks `list` by cursor.
 */
export const make = Effect.map(
  ListFiles.ListFiles,
  (fileOf) =>
    <Shown extends JsonObject, E extends Refusal>(
      name: string,
      table: ListTable<Shown>,
      list: (query: Query) => Effect.Effect<ShownPage<Shown>, E, Caller>,
      whole: (query: Query) => Effect.Effect<WholeList.WholeList<Shown>, E | InvalidArgument, Caller> = (query) =>
        WholeList.wholeList(list, query)
    ) =>
    (call: Call) => {
      call.headers["vary"] = "accept"
      const form = ListFiles.formWanted(call)
      return form === undefined ? pageOf(call, list(call.query)) : fileOf(call, form, name, table, whole(call.query))
    }
)
