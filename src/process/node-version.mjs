/** Ends the process with one clear line on a Node.js that is too old. JavaScript, because an old Node.js loads no TypeScript. */

// The same versions as `engines` in package.json. Node.js 23 and 25 are out of support; 23.0 loads no TypeScript.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 22) || major === 23) {
  console.error(
    `Node.js 24, or 22.22 or newer, is needed; this is ${process.versions.node}. npm scripts bring their own on Linux and Windows: npm start`,
  );
  process.exit(1);
}
