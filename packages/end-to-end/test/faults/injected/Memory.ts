// Loaded into a server before its own modules. SIGUSR2 collects garbage and writes the memory in use, in bytes, to the
// file that the environment variable `WCS_FAULT_MEMORY` names.
import { renameSync, writeFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")
const file = process.env["WCS_FAULT_MEMORY"] ?? ""

process.on("SIGUSR2", () => {
  collect()
  writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()))
  renameSync(`${file}.new`, file)
})
