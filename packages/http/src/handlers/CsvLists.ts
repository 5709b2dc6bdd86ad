import type { CsvTable } from "@wcs/api/CsvOf"
import type { Caller } from "@wcs/domain/access/Caller"
import type { ShownPage } from "@wcs/domain/resource/Collection"
import type { Query } from "@wcs/domain/resource/ListQuery"
import * as WholeList from "@wcs/domain/resource/WholeList"
import type { Refusal } from "@wcs/domain/service/Refusals"
import type { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import type { Call } from "../pipeline/Call.ts"
import * as CsvAnswer from "../pipeline/CsvAnswer.ts"
import { pageOf } from "./CollectionHandlers.ts"

/**
 * The handlers of lists that answer a page as JSON, or all that matches as a CSV file. `whole` reads all pages; by
 * default it walks `list` by cursor.
 */
export const make = Effect.map(
  CsvAnswer.CsvFiles,
  (fileOf) =>
    <Shown extends JsonObject, E extends Refusal>(
      name: string,
      table: CsvTable<Shown>,
      list: (query: Query) => Effect.Effect<ShownPage<Shown>, E, Caller>,
      whole: (query: Query) => Effect.Effect<WholeList.WholeList<Shown>, E | InvalidArgument, Caller> = (query) =>
        WholeList.wholeList(list, query)
    ) =>
    (call: Call) => {
      call.headers["vary"] = "accept"
      return CsvAnswer.isWanted(call) ? fileOf(call, name, table, whole(call.query)) : pageOf(call, list(call.query))
    }
)
