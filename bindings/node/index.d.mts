export * from './index.js';
export { ml as default } from './index.js';
