import { Context } from "effect"

/** Whether an endpoint that lists rows also answers them as a CSV file, for `Accept: text/csv`. */
export const CsvOf = Context.Reference<boolean>("@wcs/api/CsvOf", { defaultValue: () => false })
