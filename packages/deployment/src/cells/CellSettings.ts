import { StartRefused } from "@wcs/node-server/StartRefused"
import { firstCell } from "@wcs/store-sql/cells/Directory"
import { Effect, Option } from "effect"
import { Settings } from "../Settings.ts"

/** The settings for the processes of a further database. */
export const settingsOf = (settings: Settings["Service"], cell: Settings["Service"]["cells"][number]) =>
  Settings.of({ ...settings, cell: cell.name, database: Option.some(cell.database), cells: [] })

/** The settings for a database by its name in `WCS_CELLS`, or for the first one. */
export const settingsNamed = Effect.fnUntraced(function* (name: string) {
  const settings = yield* Settings
  if (name === firstCell) return settings
  const found = settings.cells.find((cell) => cell.name === name)
  if (found !== undefined) return settingsOf(settings, found)
  return yield* new StartRefused({ message: `WCS_CELLS has no database ${name}; nothing was changed.` })
})
