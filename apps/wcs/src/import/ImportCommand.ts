import { dateOrders } from "@wcs/domain/import/ColumnMapping"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"

const text = (name: string, description: string) => Flag.String(name).pipe(Flag.withDescription(description))
const yes = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** `wcs import`: creates and updates workers from a CSV file. Imports its modules only when it runs. */
export const importWorkers = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("CSV file in UTF-8. The first row has the names of the columns"),
      Argument.optional
    ),
    resume: text("resume", "Go on with the import of this id, instead of a file").pipe(Flag.optional),
    undo: text("undo", "Undo the import of this id: delete created workers, restore updated ones").pipe(Flag.optional),
    map: text(
      "map",
      "Field of a column, such as 'Staff no=source.externalId'; 'COLUMN=' ignores it; can be repeated"
    ).pipe(Flag.withMetavar("COLUMN=FIELD"), Flag.atLeast(0)),
    dateOrder: Flag.Literals("date-order", dateOrders).pipe(
      Flag.withDescription(
        "Order of day, month and year in dates such as 3/12/1990; default: that of the file's dates, if only one fits"
      ),
      Flag.optional
    ),
    dryRun: yes("dry-run", "Check all rows, and change no worker"),
    withDuplicates: yes("with-duplicates", "Carry out rows that repeat the name and birth date of somebody, too"),
    faults: text("faults", "CSV file to write with the rows that are not carried out, and why").pipe(Flag.optional),
    url: text("url", "URL of the tenant, such as https://localhost:8443; default: the running server").pipe(
      Flag.optional
    ),
    caFile: text("ca-file", "PEM file of the issuer, if the system does not trust it").pipe(Flag.optional),
    clientFile: text("client-file", 'File of an OAuth client: { "clientId", "clientSecret" }').pipe(Flag.optional),
    tokenFile: text("token-file", "File of a personal token, instead of an OAuth client").pipe(Flag.optional)
  },
  Effect.fnUntraced(function* (given) {
    const { perform } = yield* Effect.promise(() => import("./Importing.ts"))
    yield* perform(given)
  })
).pipe(Command.withDescription("Create and update workers from a CSV file, with the rights of a client or a user"))
