export const notBuilt = (name: string): never => {
  throw new Error(`Not built: ${name}`);
};
