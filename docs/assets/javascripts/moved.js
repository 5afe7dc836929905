// An answer that once stood on this page stands on another: its address here is that of a link, which leads on.
// (No redirect can: what follows the # is never sent. Without scripts the link is marked, one press away.)
{
  const follow = () => {
    const link = document.getElementById(location.hash.slice(1));
    if (link?.matches(".moved a[href]")) location.replace(link.href);
  };
  addEventListener("hashchange", follow);
  follow();
}
