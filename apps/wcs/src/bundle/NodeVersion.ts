/** The oldest Node that runs the bundle: `engines` of package.json. */
const oldest = [24, 7] as const

/** What to say if this Node is too old. Undefined if it is not. */
export const complaintAbout = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1])
  return isOld ? `Node ${oldest.join(".")} or later is needed; this is ${version}` : undefined
}
