import type { Privilege } from "@wcs/domain/access/Privilege"
import { fileLimits, ImportDocument, ImportsMax, Status } from "@wcs/domain/import/Import"
import { ImportRowDocument, Outcome } from "@wcs/domain/import/ImportRow"
import { ImportCheck, ImportRun } from "@wcs/domain/import/Imports"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Location, Many, One, Page, ResourceId } from "../Envelope.ts"
import { GuardOf, guardOfAll } from "../Guard.ts"
import { pageParameters, parameter, timelineParameters } from "../ListParameters.ts"
import { guarded } from "../Middleware.ts"
import { withOptionalBody } from "../openapi/OptionalBody.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const document = ImportDocument.annotate({ identifier: "Import" })
const row = ImportRowDocument.annotate({ identifier: "ImportRow" })

/** What a call does with imports and with workers. */
const using = (
  operation: Privilege["operation"],
  workers: ReadonlyArray<Privilege["operation"]>,
  tier: "standard" | "intensive" = "standard"
) =>
  guardOfAll(
    [
      { entityType: "import", operation },
      ...workers.map((each): Privilege => ({ entityType: "worker", operation: each }))
    ],
    tier
  )

const reading = [wireErrors.INVALID_ARGUMENT, ...everyCall] as const
const acting = [wireErrors.INVALID_ARGUMENT, wireErrors.UNPROCESSABLE, ...everyCall] as const
const actingWithBody = [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall] as const

const inBackground = "Read the import to follow the work."

const file = Schema.String.annotate({
  description: "The file. The first row has the names of the columns."
}).pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

/** `/imports`: workers from a CSV file. */
export class ImportsApi extends guarded(
  HttpApiGroup.make("imports").add(
    HttpApiEndpoint.get("list", "/imports", {
      query: {
        ...timelineParameters("uploaded", "desc"),
        status: parameter("Exact match on the status.", Status)
      },
      success: Many(document),
      error: reading
    }).annotate(GuardOf, using("READ", ["READ"])),
    HttpApiEndpoint.post("create", "/imports", {
      query: { name: parameter("Name of the file, at most 200 characters.") },
      payload: file,
      success: HttpApiSchema.WithHeaders(One(document).pipe(HttpApiSchema.status(201)), Location),
      error: actingWithBody
    })
      .annotate(OpenApi.Summary, "Upload a file of workers")
      .annotate(
        OpenApi.Description,
        `Stores the rows of a CSV file in UTF-8 and proposes a mapping of its columns. Commas, semicolons or tabs separate the cells. At most ${fileLimits.rows} rows, ${fileLimits.columns} columns, ${fileLimits.bytes / 1024 / 1024} MiB, and ${ImportsMax.defaultValue()} imports of a tenant. Each is deleted 7 days after its last change.`
      )
      .annotate(GuardOf, using("CREATE", ["READ", "CREATE", "UPDATE"], "intensive")),
    HttpApiEndpoint.get("read", "/imports/:id", {
      params: ResourceId,
      success: One(document),
      error: reading
    }).annotate(GuardOf, using("READ", ["READ"])),
    HttpApiEndpoint.get("rows", "/imports/:id/rows", {
      params: ResourceId,
      query: { ...pageParameters, outcome: parameter("Exact match on the outcome.", Outcome) },
      success: Page(row),
      error: reading
    })
      .annotate(OpenApi.Summary, "List the rows of an import")
      .annotate(
        OpenApi.Description,
        "Shows all cells, also those of columns that are ignored. So this needs the privilege to UPDATE imports."
      )
      .annotate(GuardOf, using("UPDATE", ["READ"])),
    HttpApiEndpoint.post("check", "/imports/:id/check", {
      params: ResourceId,
      payload: ImportCheck.annotate({ identifier: "ImportCheck" }),
      success: One(document),
      error: actingWithBody
    })
      .annotate(OpenApi.Summary, "Check the rows of an import")
      .annotate(OpenApi.Description, `Judges each row as a run would, and writes no worker. ${inBackground}`)
      .annotate(OpenApi.Transform, withOptionalBody)
      .annotate(GuardOf, using("UPDATE", ["READ"], "intensive")),
    HttpApiEndpoint.post("run", "/imports/:id/run", {
      params: ResourceId,
      payload: ImportRun.annotate({ identifier: "ImportRun" }),
      success: One(document),
      error: actingWithBody
    })
      .annotate(OpenApi.Summary, "Carry out an import")
      .annotate(
        OpenApi.Description,
        `Creates workers, and updates those with the \`source.externalId\` of a row. Empty cells keep the stored value. Faulty rows are skipped. The account must keep its privileges meanwhile. Refused while another import of the tenant is RUNNING or UNDOING. ${inBackground}`
      )
      .annotate(OpenApi.Transform, withOptionalBody)
      .annotate(GuardOf, using("UPDATE", ["READ", "CREATE", "UPDATE"], "intensive")),
    HttpApiEndpoint.post("undo", "/imports/:id/undo", {
      params: ResourceId,
      success: One(document),
      error: acting
    })
      .annotate(OpenApi.Summary, "Undo an import")
      .annotate(
        OpenApi.Description,
        `Deletes the created workers and restores the updated ones. Nothing is undone if one of them was changed or deleted since, or a created one has a credential, an exemption, a fetch request or a ban. Refused while another import of the tenant is RUNNING or UNDOING. ${inBackground}`
      )
      .annotate(GuardOf, using("UPDATE", ["READ", "UPDATE", "DELETE"], "intensive")),
    HttpApiEndpoint.post("stop", "/imports/:id/stop", {
      params: ResourceId,
      success: One(document),
      error: reading
    })
      .annotate(OpenApi.Summary, "Stop the work of an import")
      .annotate(
        OpenApi.Description,
        "Stops a check, a run or an undo after the rows at hand, at most 200. What is done stays. A stopped run can go on or be undone, a stopped undo can go on, and a stopped check begins again. Changes nothing if no work goes on. Read the import to see its end."
      )
      .annotate(GuardOf, using("UPDATE", ["READ"])),
    HttpApiEndpoint.delete("remove", "/imports/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: acting
    })
      .annotate(OpenApi.Description, "Deletes the file and its rows. The workers stay, and there is no undo.")
      .annotate(GuardOf, using("DELETE", ["READ"]))
  )
) {}
