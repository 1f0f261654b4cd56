import '../../javascript/shop.css';

export const metadata = { title: 'Checkout', icons: { icon: 'data:,' } };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
