/** Imported first by every entry point: an unsupported Node.js ends here with one clear line. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Node.js 22.18 or newer is required, this is ${process.versions.node}. npm scripts bring their own: use "npm start".`,
  );
  process.exit(1);
}

export {};
